#pragma once

#include <span>
#include <vector>

#include "stickslip/contact/contact_space.hpp"

namespace stickslip {

/// Forces along the axes of the contacts, turned into forces on the points of each body.
/// (Eqs. 4, 12) f_P = -f_Q, (Eq. 15). Contacts without force are left out.
class BodyForces {
 public:
  void reserve(int body_count, int contact_count);

  /// f has three components a contact.
  void gather(std::span<const Contact> contacts, const ConstVecView& f, int body_count);

  /// Of one body, in the order of the contacts.
  std::span<const SurfacePoint> points(int body) const {
    return std::span(points_).subspan(begin(body), begin(body + 1) - begin(body));
  }
  /// World axes. [N]
  std::span<const Vec3> forces(int body) const {
    return std::span(forces_).subspan(begin(body), begin(body + 1) - begin(body));
  }

 private:
  std::size_t begin(int body) const { return uz(starts_[uz(body)]); }

  std::vector<int> starts_;  ///< of each body, and the end of the last
  std::vector<int> next_;
  std::vector<SurfacePoint> points_;
  std::vector<Vec3> forces_;
};

}  // namespace stickslip

#pragma once

#include <span>
#include <vector>

#include "stickslip/contact/contact_space.hpp"
#include "stickslip/problem/block_matrix.hpp"

namespace stickslip {

/// Which of the motions of bodies a Delassus operator is made of.
enum class Motion { whole, frames_only };

/// Builds the contact problem of a group: (Eqs. 17, 18, 30)
/// W = sum over the bodies of H C H^T + J A_eff^-1 J^T, along the axes of the contacts.
/// Its cost follows the square of the number of contacts, not the meshes.
class DelassusBuilder {
 public:
  DelassusBuilder(int body_count, int max_contacts);

  /// `group` numbers the contacts that make up the problem, in the order they get there. W becomes
  /// dense, or sparse where few contacts share a body. `masters` names for each of them a body
  /// that holds still there; empty: none does.
  void build(std::span<const Contact> contacts, std::span<const int> group,
             std::span<const MovingBody> bodies, Motion motion, BlockMatrix& W,
             std::span<const int> masters = {});

  /// What one newton moved a contact point of the body, in the mean, when it was last built; 0
  /// where it has not been. [m/N]
  double mean_compliance(int body) const { return mean_compliance_[uz(body)]; }

 private:
  void list_ends(std::span<const Contact> contacts, std::span<const int> group,
                 std::span<const MovingBody> bodies, std::span<const int> masters);
  void choose_storage(std::span<const Contact> contacts, std::span<const int> group,
                      BlockMatrix& W);

  /// A contact point of one body. Forces act along the axes on body 1 and against them on 2.
  struct End {
    int contact;  ///< in the group
    double sign;
  };

  std::vector<std::vector<SurfacePoint>> points_;  ///< of each body
  std::vector<std::vector<End>> ends_;
  std::vector<int> touched_;             ///< bodies with contact points in this group
  MatX body_W_;                          ///< of one body, world axes
  std::vector<double> mean_compliance_;  ///< of each body
  std::vector<int> column_start_;
  std::vector<int> rows_;
  Eigen::Matrix<double, Eigen::Dynamic, 3> columns_;
};

/// Forces along the axes of the contacts, turned into forces on the points of one body.
/// (Eqs. 4, 12) f_P = -f_Q, (Eq. 15).
void gather_body_forces(std::span<const Contact> contacts, const ConstVecView& f, int body,
                        std::vector<SurfacePoint>& points, std::vector<Vec3>& forces);

}  // namespace stickslip

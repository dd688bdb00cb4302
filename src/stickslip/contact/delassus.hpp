#pragma once

#include <span>
#include <vector>

#include "stickslip/body/point_compliance.hpp"
#include "stickslip/contact/contact_space.hpp"
#include "stickslip/problem/block_matrix.hpp"

namespace stickslip {

/// Builds the contact problem of a group: (Eqs. 17, 18, 30)
/// W = sum over the bodies of H C H^T + J A_eff^-1 J^T, along the axes of the contacts.
/// Its cost follows the square of the number of contacts, not the meshes.
class DelassusBuilder {
 public:
  /// Room for so many contacts, each point shared among so many nodes at most.
  DelassusBuilder(int body_count, int max_contacts, int nodes_a_point = 3);

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
                      std::span<const int> masters, BlockMatrix& W);
  void add_body(int body, std::span<const Contact> contacts, std::span<const int> group,
                const MovingBody& moving, Motion motion, BlockMatrix& W);
  /// Whether the body has all contacts of a dense group.
  bool fills(int body, const BlockMatrix& W) const {
    return W.is_dense() && ends_[uz(body)].size() == uz(W.contact_count());
  }

  /// A contact point of one body. Forces act along the axes on body 1 and against them on 2.
  struct End {
    int contact;  ///< in the group
    double sign;
  };

  std::vector<std::vector<SurfacePoint>> points_;  ///< of each body
  std::vector<std::vector<End>> ends_;
  std::vector<int> touched_;  ///< bodies with contact points in this group
  PointCompliance compliance_;
  std::vector<Mat3> axes_;               ///< of one body's points, with their signs
  std::vector<int> met_;                 ///< of one body's points, contacts in the group
  std::vector<double> mean_compliance_;  ///< of each body
  std::vector<int> column_start_;
  std::vector<int> rows_;
  Eigen::Matrix<double, Eigen::Dynamic, 3> columns_;
};

}  // namespace stickslip

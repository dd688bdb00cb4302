#include "stickslip/proximity/mesh_proximity.hpp"

// What MeshProximity does for exact shapes.

namespace stickslip {

void MeshProximity::find_pair(int i, int j, const PlacedSurface& placed_i,
                              const PlacedSurface& placed_j, double alarm_distance,
                              std::vector<Proximity>& found) {
  take_shape(placed_i, bodies_[uz(i)]);
  take_shape(placed_j, bodies_[uz(j)]);
  search_pair(i, j, placed_i, placed_j, alarm_distance, found);
}

ShapeBody MeshProximity::shape_body(int i, const PlacedSurface& placed) const {
  const Searched& body = bodies_[uz(i)];
  return {i,
          body.exact ? &*body.exact : nullptr,
          &body.shape,
          &body.tree,
          body.is_flat,
          placed.has_new_shape,
          placed.R,
          placed.position};
}

double MeshProximity::exact_gap(const Proximity& where, const PlacedSurface& placed_1,
                                const PlacedSurface& placed_2, double linear) {
  take_shape(placed_1, bodies_[uz(where.body_1)]);
  take_shape(placed_2, bodies_[uz(where.body_2)]);
  return ShapeContacts::gap_of(where, shape_body(where.body_1, placed_1),
                               shape_body(where.body_2, placed_2), linear);
}

void MeshProximity::search_shapes(int i, int j, const PlacedSurface& placed_1,
                                  const PlacedSurface& placed_2, double alarm_distance,
                                  std::vector<Proximity>& found) {
  const Searched& body_1 = bodies_[uz(i)];
  const Searched& body_2 = bodies_[uz(j)];
  const ContactLimits near = limits(i, j, alarm_distance);
  const Placement to_2{placed_2.R.transpose() * placed_1.R,
                       placed_2.R.transpose() * (placed_1.position - placed_2.position)};
  leaf_pairs_.clear();
  if (!body_1.exact || !body_2.exact) {
    const double reach = near.reach() + body_1.bulge + body_2.bulge;
    find_leaf_pairs(body_1.tree, body_2.tree, to_2, reach, leaf_pairs_);
    fit_near_leaves(i, j, to_2, reach);
  }
  shape_contacts_.find(shape_body(i, placed_1), shape_body(j, placed_2), leaf_pairs_, near, found);
}

}  // namespace stickslip

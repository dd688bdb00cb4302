#pragma once

#include "stickslip/body/body.hpp"
#include "stickslip/body/relinearised_deformation.hpp"
#include "stickslip/fem/nonlinear_elements.hpp"

namespace stickslip {

/// Tetrahedra that bend and stretch far.
class NonlinearDeformation : public RelinearisedDeformation {
 public:
  /// `model` was made of the mesh and material. Throws InputError for an element that is inverted
  /// at rest.
  NonlinearDeformation(const TetMesh& mesh, const Material& material, ElasticLaw law,
                       const DeformationModel& model, std::span<const int> held_nodes,
                       const NewtonOptions& options);

  const NonlinearElements& elements() const { return elements_; }

 protected:
  double respond(const VecX& u, Slope wanted, VecX& forces, SparseMatrix& slope) const override;

 private:
  NonlinearElements elements_;  ///< of the nodes in the order of the model
};

/// A body of such elements whose frame stands still, held at some nodes.
Body make_nonlinear_body(const TetMesh& mesh, const Material& material, ElasticLaw law,
                         const DeformationModel& model, std::span<const int> held_nodes,
                         const NewtonOptions& options);

}  // namespace stickslip

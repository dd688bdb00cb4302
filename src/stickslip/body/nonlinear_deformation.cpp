#include "stickslip/body/nonlinear_deformation.hpp"

#include "stickslip/fem/rigid_modes.hpp"

namespace stickslip {

NonlinearDeformation::NonlinearDeformation(const TetMesh& mesh, const Material& material,
                                           ElasticLaw law, const DeformationModel& model,
                                           std::span<const int> held_nodes,
                                           const NewtonOptions& options)
    : RelinearisedDeformation(model, held_nodes, options),
      elements_(renumbered(mesh, model.mesh_nodes), material, law) {}

double NonlinearDeformation::respond(const VecX& u, Slope wanted, VecX& forces,
                                     SparseMatrix& slope) const {
  if (wanted == Slope::none) return elements_.forces(u, forces);
  return elements_.linearise(u, forces, slope,
                             wanted == Slope::exact ? SlopeSign::any : SlopeSign::not_negative);
}

Body make_nonlinear_body(const TetMesh& mesh, const Material& material, ElasticLaw law,
                         const DeformationModel& model, std::span<const int> held_nodes,
                         const NewtonOptions& options) {
  Eigen::Matrix<double, 6, Eigen::Dynamic> resultants(6, options.load_cases.cols());
  if (options.load_cases.cols() > 0) {
    resultants = rigid_modes(model.nodes).transpose() * options.load_cases;
  }
  return Body(
      model.surface, model.mass.centre, RigidFrame(),
      std::make_shared<NonlinearDeformation>(mesh, material, law, model, held_nodes, options),
      resultants, model.contact_count);
}

}  // namespace stickslip

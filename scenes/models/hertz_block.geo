// Block under the plane z = 0, fine around the origin of its upper face, where something round
// presses. Lengths in mm, metres in the mesh.
SetFactory("OpenCASCADE");

DefineConstant[
  width = 60          // along x and y
  depth = 60          // along z
  zone = 1.2          // radius of the fine part
  h = 0.4             // element size there
  growth = 0.3        // by how much elements grow with the distance from it
  order = 2
];

Box(1) = {-width / 2, -width / 2, -depth, width, width, depth};
Physical Volume("hertz_block") = 1;
Physical Surface("bottom") = 5;
Physical Surface("top") = 6;
Physical Surface("skin") = {1 : 6};

Field[1] = MathEval;
Field[1].F = Sprintf("%g + %g * 0.5 * (sqrt(x*x + y*y + z*z) - %g + abs(sqrt(x*x + y*y + z*z) - %g))", h, growth, zone, zone);
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;

Include "mesh.geo";

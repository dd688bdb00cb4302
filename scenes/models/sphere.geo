// Sphere around the origin. Lengths in mm, metres in the mesh.
SetFactory("OpenCASCADE");

DefineConstant[
  radius = 15
  h = 8
  order = 2
];

Sphere(1) = {0, 0, 0, radius};
Physical Volume("sphere") = 1;
Physical Surface("skin") = Surface{:};
MeshSize{ PointsOf{ Volume{1}; } } = h;

Include "mesh.geo";

// Block on the plane z = 0, centred on the z axis. Lengths in mm, metres in the mesh.
SetFactory("OpenCASCADE");

DefineConstant[
  length = 60   // along x
  depth = 40    // along y
  height = 20   // along z
  h = 8
  order = 2
];

Box(1) = {-length / 2, -depth / 2, 0, length, depth, height};
Physical Volume("block") = 1;
Physical Surface("bottom") = 5;
Physical Surface("top") = 6;
Physical Surface("sides") = {1 : 4};
Physical Surface("skin") = {1 : 6};
MeshSize{ PointsOf{ Volume{1}; } } = h;

Include "mesh.geo";

// Cantilever snap arm: the section is constant from the clamped root at x = 0 to the crest of the
// hook at x = length; the neutral axis is y = 0 and the mating edge comes from +x and pushes the
// arm towards -y. Lengths in mm and angles in degrees, metres in the mesh.

DefineConstant[
  length = 19         // from the root to the crest, where the contact force acts at full deflection
  width = 9.5         // along z
  thickness = 2       // along y
  offset = 1.5        // of the crest from the neutral axis: thickness / 2 + undercut, or 0
  undercut = 0.5      // deflection needed to pass
  lead = 0.5          // by which the ramp goes deeper than the undercut
  ramp = 30           // insertion side, from the x axis
  return_ramp = 45    // withdrawal side, from the x axis
  h = 1.5             // element size of the arm
  layers = 4          // of elements across the width
  order = 2
];

half = thickness / 2;
low = offset - undercut - lead;
tip = length + (offset - low) / Tan(ramp * Pi / 180);
back = length - Fabs(offset - half) / Tan(return_ramp * Pi / 180);
// the nose keeps a height of one third of the section
nose = (low - thickness / 3 < -half) ? low - thickness / 3 : -half;
h_hook = 0.7 * h;
z = -width / 2;

Point(1) = {0, -half, z, h};
Point(2) = {back, -half, z, h_hook};
Point(3) = {tip, nose, z, h_hook};
Point(4) = {tip, low, z, h_hook};
Point(5) = {length, offset, z, h_hook};
Point(6) = {back, half, z, h_hook};
Point(7) = {0, half, z, h};
For i In {1 : 7}
  Line(i) = {i, i % 7 + 1};
EndFor
Curve Loop(1) = {1 : 7};
Plane Surface(1) = {1};
e[] = Extrude {0, 0, width} { Surface{1}; Layers{layers}; };

Physical Volume("snap_arm") = e[1];
Physical Surface("root") = e[8];
Physical Surface("hook") = {e[4], e[5]};
If (offset > half)
  Physical Surface("hook") += e[6];
EndIf
Physical Surface("skin") = {1, e[0], e[{2 : 8}]};

Include "mesh.geo";

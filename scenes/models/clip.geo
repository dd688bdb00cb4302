// Snap-in clip: a C-ring that grips a pipe along z, flared lips below, a handle above; or two of
// them side by side, their handles joined to a bar.
// Lengths in mm and angles in degrees here, metres in the mesh. All halves carry mirrored nodes.

DefineConstant[
  inner_radius = 12   // of the ring
  wall = 3            // thickness of ring and lips
  mouth = 138         // opening angle between the ends of the ring, where the lips begin
  width = 14          // along the pipe
  lip = 4.5           // radius of the rounded throat, at least wall + 0.5
  flare = 35          // of the lips, from the direction of insertion
  flare_length = 2    // straight part of the lips
  handle = 26         // from the back of the ring to the end of the grip
  grip = 12           // length of the grabbed part of the handle
  grip_thickness = 8
  rings = 1           // 2: for two pipes
  spacing = 38        // of the two pipes
  h = 2.5             // element size on the ring
  h_lip = 0.7 * h     // on the lips
  h_grip = 1.6 * h    // on the grip
  layers = 3          // of elements across the width; 0: unstructured
  order = 2
];

r = (lip > wall + 0.5) ? lip : wall + 0.5;
outer_radius = inner_radius + wall;
stem = 0.31 * grip_thickness;  // half-thickness where the handle leaves the ring
fillet = 4;
chamfer = 0.3 * grip_thickness;
top = outer_radius + handle;
f = flare * Pi / 180;
z = -width / 2;

// the ring ends at the angle psi from -y, where the rounded throat touches it from outside
sin_psi = Sin(mouth * Pi / 360);
cos_psi = Cos(mouth * Pi / 360);
cx = (inner_radius + r) * sin_psi;
cy = -(inner_radius + r) * cos_psi;
fillet_x = stem + fillet;
fillet_y = Sqrt((outer_radius + fillet)^2 - fillet_x^2);
fillet_end = outer_radius / (outer_radius + fillet);

For ring In {0 : rings - 1}
  ox = (rings == 2) ? (ring - 0.5) * spacing : 0;
  centre = newp; Point(centre) = {ox, 0, z};
  inner_top = newp; Point(inner_top) = {ox, inner_radius, z, h};
  neck = newp; Point(neck) = {ox, top - grip, z, h_grip};
  end = newp; Point(end) = {ox, top, z, h_grip};
  axis = newc; Line(axis) = {neck, inner_top};
  grip_axis = newc; Line(grip_axis) = {end, neck};

  For side In {0 : 1}
    s = 1 - 2 * side;
    half = 2 * ring + side;
    p = newp;
    Point(p) = {ox + s * inner_radius * sin_psi, -inner_radius * cos_psi, z, h_lip};
    Point(p + 1) = {ox + s * cx, cy, z};
    Point(p + 2) = {ox + s * (cx - r * Cos(f)), cy - r * Sin(f), z, h_lip};
    tip_x = cx - r * Cos(f) + flare_length * Sin(f);
    tip_y = cy - r * Sin(f) - flare_length * Cos(f);
    Point(p + 3) = {ox + s * tip_x, tip_y, z, h_lip};
    Point(p + 4) = {ox + s * (tip_x + wall / 2 * Cos(f)), tip_y + wall / 2 * Sin(f), z};
    Point(p + 5) = {ox + s * (tip_x + wall / 2 * (Cos(f) + Sin(f))), tip_y + wall / 2 * (Sin(f) - Cos(f)), z, h_lip};
    Point(p + 6) = {ox + s * (tip_x + wall * Cos(f)), tip_y + wall * Sin(f), z, h_lip};
    Point(p + 7) = {ox + s * (cx - (r - wall) * Cos(f)), cy - (r - wall) * Sin(f), z, h_lip};
    Point(p + 8) = {ox + s * outer_radius * sin_psi, -outer_radius * cos_psi, z, h_lip};
    Point(p + 9) = {ox + s * fillet_x * fillet_end, fillet_y * fillet_end, z, h};
    Point(p + 10) = {ox + s * fillet_x, fillet_y, z};
    Point(p + 11) = {ox + s * stem, fillet_y, z, h};
    Point(p + 12) = {ox + s * grip_thickness / 2, top - grip, z, h_grip};
    Point(p + 13) = {ox + s * grip_thickness / 2, top - chamfer, z, h_grip};
    Point(p + 14) = {ox + s * (grip_thickness / 2 - chamfer), top, z, h_grip};
    Point(p + 15) = {ox + s * (cx - r), cy, z, h_lip};

    c = newc;
    side_of~{half} = c + 12;
    corner~{half} = p + 12;
    Circle(c) = {inner_top, centre, p};
    Circle(c + 1) = {p, p + 1, p + 15};
    Circle(c + 2) = {p + 15, p + 1, p + 2};
    Line(c + 3) = {p + 2, p + 3};
    Circle(c + 4) = {p + 3, p + 4, p + 5};
    Circle(c + 5) = {p + 5, p + 4, p + 6};
    Line(c + 6) = {p + 6, p + 7};
    Circle(c + 7) = {p + 7, p + 1, p + 8};
    Circle(c + 8) = {p + 8, centre, p + 9};
    Circle(c + 9) = {p + 9, p + 10, p + 11};
    Line(c + 10) = {p + 11, p + 12};
    Line(c + 11) = {p + 12, neck};
    Line(c + 12) = {p + 12, p + 13};
    Line(c + 13) = {p + 13, p + 14};
    Line(c + 14) = {p + 14, end};
    ring_loop = newll; Curve Loop(ring_loop) = {c : c + 11, axis};
    grip_loop = newll; Curve Loop(grip_loop) = {c + 12 : c + 14, grip_axis, -(c + 11)};
    branch~{half} = news; Plane Surface(branch~{half}) = {ring_loop};
    grip~{half} = news; Plane Surface(grip~{half}) = {grip_loop};
  EndFor
EndFor

For half In {1 : 2 * rings - 1}
  // half 0, turned over or not, and moved
  turn = 1 - 2 * (half % 2);
  move = (rings == 2) ? (Floor(half / 2) - 0.5 + turn * 0.5) * spacing : 0;
  onto[] = {turn, 0, 0, move,  0, 1, 0, 0,  0, 0, 1, 0,  0, 0, 0, 1};
  Periodic Surface {branch~{half}, grip~{half}} = {branch_0, grip_0} Affine {onto[]};
EndFor

volumes[] = {}; handle_faces[] = {}; inside[] = {}; skin[] = {};
For half In {0 : 2 * rings - 1}
  If (layers > 0)
    branch[] = Extrude {0, 0, width} { Surface{branch~{half}}; Layers{layers}; };
    held[] = Extrude {0, 0, width} { Surface{grip~{half}}; Layers{layers}; };
  Else
    branch[] = Extrude {0, 0, width} { Surface{branch~{half}}; };
    held[] = Extrude {0, 0, width} { Surface{grip~{half}}; };
  EndIf
  is_joined = rings == 2 && (half == 0 || half == 3);
  ends[] = {};
  If (is_joined)
    ends[] = held[{3 : 4}];
  Else
    ends[] = held[{2 : 4}];
  EndIf
  volumes[] += {branch[1], held[1]};
  inside[] += branch[{2 : 7}];
  handle_faces[] += {grip~{half}, held[0], ends[]};
  skin[] += {branch~{half}, branch[0], branch[{2 : 12}], grip~{half}, held[0], ends[]};
EndFor
If (rings == 2)
  // from the side of one grip to that of the other
  b = newc;
  Line(b) = {corner_0, corner_3};
  Line(b + 1) = {corner_0 + 1, corner_3 + 1};
  bar_loop = newll; Curve Loop(bar_loop) = {b, side_of_3, -(b + 1), -side_of_0};
  bar = news; Plane Surface(bar) = {bar_loop};
  If (layers > 0)
    held[] = Extrude {0, 0, width} { Surface{bar}; Layers{layers}; };
  Else
    held[] = Extrude {0, 0, width} { Surface{bar}; };
  EndIf
  volumes[] += held[1];
  handle_faces[] += {bar, held[0], held[2], held[4]};
  skin[] += {bar, held[0], held[2], held[4]};
EndIf

Physical Volume("clip") = volumes[];
Physical Surface("handle") = handle_faces[];
Physical Surface("inside") = inside[];
Physical Surface("skin") = skin[];

Include "mesh.geo";

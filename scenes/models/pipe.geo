// Pipe along z, solid or hollow, straight rows of nodes along its generators and close
// together in the middle, where the clip touches it. Lengths in mm, metres in the mesh.

DefineConstant[
  radius = 12.3
  length = 70
  hollow = 0       // 1: hollow
  wall = 2.5       // thickness when hollow
  zone = 20        // length of the middle part with the fine rows
  around = 32      // elements around the mantle
  along = 4        // layers of elements in the middle part
  along_end = 3    // layers in each of the two other parts
  through = 1      // layers of elements through the wall when hollow
  coarsening = 2   // element size on the axis of the solid pipe relative to the mantle
  order = 2
];

h = 2 * Pi * radius / around;
z = -length / 2;
end_part = (length - zone) / 2;

Point(1) = {0, 0, z, coarsening * h};
base[] = {};
For q In {0 : 3}
  a = q * Pi / 2;
  Point(10 + q) = {radius * Cos(a), radius * Sin(a), z, h};
  If (hollow)
    Point(20 + q) = {(radius - wall) * Cos(a), (radius - wall) * Sin(a), z, h};
    Line(30 + q) = {20 + q, 10 + q};
  EndIf
EndFor
For q In {0 : 3}
  n = (q + 1) % 4;
  Circle(10 + q) = {10 + q, 1, 10 + n};
  Transfinite Curve{10 + q} = around / 4 + 1;
  If (hollow)
    Circle(20 + q) = {20 + q, 1, 20 + n};
    Transfinite Curve{20 + q} = around / 4 + 1;
    Transfinite Curve{30 + q} = through + 1;
    Curve Loop(q + 1) = {10 + q, -(30 + n), -(20 + q), 30 + q};
    Plane Surface(q + 1) = {q + 1};
    Transfinite Surface{q + 1} Alternated;
    base[] += q + 1;
  EndIf
EndFor
If (!hollow)
  Curve Loop(1) = {10 : 13};
  Plane Surface(1) = {1};
  Point{1} In Surface{1};
  base[] = 1;
EndIf

volumes[] = {}; ends[] = base[]; outside[] = {}; bore[] = {};
For part In {0 : 2}
  dz = (part == 1) ? zone : end_part;
  rows = (part == 1) ? along : along_end;
  next[] = {};
  For b In {0 : #base[] - 1}
    e[] = Extrude {0, 0, dz} { Surface{base[b]}; Layers{rows}; };
    next[] += e[0];
    volumes[] += e[1];
    If (hollow)
      outside[] += e[2];
      bore[] += e[4];
    Else
      outside[] += e[{2 : 5}];
    EndIf
  EndFor
  base[] = next[];
EndFor
ends[] += base[];

Physical Volume("pipe") = volumes[];
Physical Surface("ends") = ends[];
Physical Surface("outside") = outside[];
Physical Surface("skin") = {ends[], outside[], bore[]};

Include "mesh.geo";

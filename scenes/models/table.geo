// Small four-legged table on the plane z = 0; with reinforced = 1, two bars along x join the
// legs in pairs; with fifth = 1, a fifth leg stands in the middle. The first two variants share the
// mesh of top and legs. Lengths in mm, metres in the mesh.

DefineConstant[
  length = 100        // along x
  depth = 70          // along y
  height = 60
  thickness = 8       // of the top
  leg = 10            // side of the square legs
  reinforced = 0      // 1: bars between the legs
  fifth = 0           // 1: a fifth leg
  bar = 8             // height of the bars, which are as deep as the legs
  bar_height = 12     // from the floor to the underside of the bars
  h = 15              // element size along top, legs and bars
  across = 2          // elements across a leg and a bar
  through = 1         // elements through the thickness of the top
  order = 2
];

// the front of the table lies on a grid of 3 x 4 rectangles, with a fifth leg 5 x 4
x[] = {-length / 2, leg - length / 2, length / 2 - leg, length / 2};
columns[] = {across, Round((length - 2 * leg) / h), across};
slabs[] = {leg, depth - 2 * leg, leg};
layers[] = {across, Round((depth - 2 * leg) / h), across};
If (fifth)
  x[] = {-length / 2, leg - length / 2, -leg / 2, leg / 2, length / 2 - leg, length / 2};
  columns[] = {across, Ceil((length - 3 * leg) / 2 / h), across, Ceil((length - 3 * leg) / 2 / h), across};
  slabs[] = {leg, (depth - 3 * leg) / 2, leg, (depth - 3 * leg) / 2, leg};
  layers[] = {across, Ceil((depth - 3 * leg) / 2 / h), across, Ceil((depth - 3 * leg) / 2 / h), across};
EndIf
n = #columns[];
z[] = {0, bar_height, bar_height + bar, height - thickness, height};
rows[] = {Ceil(bar_height / h), across, Ceil((z[3] - z[2]) / h), through};
For k In {0 : 4}
  For i In {0 : n}
    Point(10 * k + i + 1) = {x[i], -depth / 2, z[k]};
  EndFor
EndFor
For k In {0 : 4}
  For i In {0 : n}
    p = 10 * k + i + 1;
    If (i < n)
      Line(100 + p) = {p, p + 1};
      Transfinite Curve{100 + p} = columns[i] + 1;
    EndIf
    If (k < 4)
      Line(200 + p) = {p, p + 10};
      Transfinite Curve{200 + p} = rows[k] + 1;
    EndIf
  EndFor
EndFor

legs[] = {1, 11, 21, n, 10 + n, 20 + n};
bars[] = {};
If (reinforced)
  bars[] = 12 : 10 + n - 1;
EndIf
middle[] = {};
If (fifth)
  middle[] = {3, 13, 23};
EndIf
top[] = 31 : 30 + n;
front[] = {top[], legs[], bars[], middle[]};
For s In {0 : #front[] - 1}
  p = front[s];
  Curve Loop(p) = {100 + p, 201 + p, -(110 + p), -(200 + p)};
  Plane Surface(p) = {p};
  Transfinite Surface{p} Alternated;
EndFor

// slabs one behind the other: front legs, span, (the fifth leg, span,) back legs
Geometry.CopyMeshingMethod = 1;
back[] = Translate {0, depth - leg, 0} { Duplicata{ Surface{legs[], bars[]}; } };
If (fifth)
  back[] += Translate {0, (depth - leg) / 2, 0} { Duplicata{ Surface{middle[]}; } };
  Delete { Surface{middle[]}; }
EndIf
Geometry.CopyMeshingMethod = 0;
volumes[] = {};
For s In {0 : n - 1}
  next[] = {};
  For i In {0 : n - 1}
    e[] = Extrude {0, slabs[s], 0} { Surface{top[i]}; Layers{layers[s]}; };
    next[] += e[0];
    volumes[] += e[1];
  EndFor
  top[] = next[];
EndFor
uprights[] = {legs[], bars[], back[]};
For s In {0 : #uprights[] - 1}
  e[] = Extrude {0, leg, 0} { Surface{uprights[s]}; Layers{across}; };
  volumes[] += e[1];
EndFor

eps = 1e-3;
big = length + depth + height;
skin[] = CombinedBoundary{ Volume{volumes[]}; };
Physical Volume("table") = volumes[];
Physical Surface("feet") = Surface In BoundingBox{-big, -big, -eps, big, big, eps};
Physical Surface("top") = Surface In BoundingBox{-big, -big, height - eps, big, big, height + eps};
Physical Surface("skin") = Abs(skin[]);

Include "mesh.geo";

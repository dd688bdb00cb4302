// Small four-legged table on the plane z = 0; with reinforced = 1, two bars along x join the
// legs in pairs. Both variants share the mesh of top and legs. Lengths in mm, metres in the mesh.

DefineConstant[
  length = 100        // along x
  depth = 70          // along y
  height = 60
  thickness = 8       // of the top
  leg = 10            // side of the square legs
  reinforced = 0      // 1: bars between the legs
  bar = 8             // height of the bars, which are as deep as the legs
  bar_height = 12     // from the floor to the underside of the bars
  h = 15              // element size along top, legs and bars
  across = 2          // elements across a leg and a bar
  through = 1         // elements through the thickness of the top
  order = 2
];

// the front of the table lies on a grid of 3 x 4 rectangles
x[] = {-length / 2, leg - length / 2, length / 2 - leg, length / 2};
z[] = {0, bar_height, bar_height + bar, height - thickness, height};
columns[] = {across, Round((length - 2 * leg) / h), across};
rows[] = {Ceil(bar_height / h), across, Ceil((z[3] - z[2]) / h), through};
span_rows = Round((depth - 2 * leg) / h);
For k In {0 : 4}
  For i In {0 : 3}
    Point(10 * k + i + 1) = {x[i], -depth / 2, z[k]};
  EndFor
EndFor
For k In {0 : 4}
  For i In {0 : 3}
    p = 10 * k + i + 1;
    If (i < 3)
      Line(100 + p) = {p, p + 1};
      Transfinite Curve{100 + p} = columns[i] + 1;
    EndIf
    If (k < 4)
      Line(200 + p) = {p, p + 10};
      Transfinite Curve{200 + p} = rows[k] + 1;
    EndIf
  EndFor
EndFor

legs[] = {1, 11, 21, 3, 13, 23};
bars[] = {};
If (reinforced)
  bars[] = 12;
EndIf
top[] = {31, 32, 33};
front[] = {top[], legs[], bars[]};
For s In {0 : #front[] - 1}
  p = front[s];
  Curve Loop(p) = {100 + p, 201 + p, -(110 + p), -(200 + p)};
  Plane Surface(p) = {p};
  Transfinite Surface{p} Alternated;
EndFor

// three slabs one behind the other: front legs, span, back legs
Geometry.CopyMeshingMethod = 1;
back[] = Translate {0, depth - leg, 0} { Duplicata{ Surface{legs[], bars[]}; } };
Geometry.CopyMeshingMethod = 0;
volumes[] = {};
For s In {0 : 2}
  next[] = {};
  For i In {0 : 2}
    e[] = Extrude {0, (s == 1) ? depth - 2 * leg : leg, 0} {
      Surface{top[i]}; Layers{(s == 1) ? span_rows : across}; };
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

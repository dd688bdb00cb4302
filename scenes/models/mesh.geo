// What all models share: curved elements, millimetres to metres, the same bytes at every run.
// (The HXT algorithm, 10, gives another mesh in another folder; Delaunay does not.)
Mesh.Algorithm3D = 1;
Mesh.ElementOrder = order;
Mesh.SecondOrderLinear = 0;
Mesh.MinimumCurvePoints = 2;
Mesh.MinimumCirclePoints = 4;
Mesh.ScalingFactor = 1e-3;
Mesh.MshFileVersion = 4.1;
Mesh.Binary = 0;
Mesh.RandomSeed = 1;
General.NumThreads = 1;

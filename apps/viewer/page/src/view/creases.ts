const crease = Math.cos((35 * Math.PI) / 180);

/** A surface made ready for smooth shading: its points are doubled where it has a crease. */
export interface ShadedSurface {
  /** Point of the body that each drawn point is. */
  source: Uint32Array;
  triangles: Uint32Array;
  /** Pairs of drawn points: lines where the surface is creased or ends, and all lines of the mesh. */
  creaseLines: Uint32Array;
  meshLines: Uint32Array;
}

interface Edge {
  triangle: number;
  corner: number;
  other: number;
}

export function splitAtCreases(vertices: Float32Array, triangles: Uint32Array): ShadedSurface {
  const normals = faceNormals(vertices, triangles);
  const edges = edgesOf(triangles);
  const parent = Uint32Array.from(triangles.keys());
  const root = (corner: number): number => {
    while (parent[corner] !== corner) corner = parent[corner] = parent[parent[corner]];
    return corner;
  };
  const next = (corner: number) => corner - (corner % 3) + ((corner + 1) % 3);

  // corners of neighbours across a smooth edge are one drawn point
  const isCrease: boolean[] = [];
  for (const { corner, triangle, other } of edges) {
    const bend = other < 0 ? -1 : dot(normals, triangle, Math.floor(other / 3));
    isCrease.push(bend < crease);
    if (bend < crease) continue;
    parent[root(corner)] = root(next(other));
    parent[root(next(corner))] = root(other);
  }

  // number the drawn points and gather the lines
  const number = new Map<number, number>();
  const source: number[] = [];
  const drawn = triangles.map((point, corner) => {
    const key = root(corner);
    const known = number.get(key);
    if (known !== undefined) return known;
    number.set(key, source.length);
    source.push(point);
    return source.length - 1;
  });
  const lines = (wanted: (edge: number) => boolean) =>
    Uint32Array.from(edges.flatMap(({ corner }, e) => (wanted(e) ? [drawn[corner], drawn[next(corner)]] : [])));
  return {
    source: Uint32Array.from(source),
    triangles: drawn,
    creaseLines: lines((e) => isCrease[e]),
    meshLines: lines(() => true),
  };
}

/** Each edge once: a corner it starts at, and the corner it starts at on its other side (-1: none). */
function edgesOf(triangles: Uint32Array): Edge[] {
  const edges: Edge[] = [];
  const open = new Map<number, number>();
  const points = triangles.reduce((most, point) => Math.max(most, point), 0) + 1;
  for (let corner = 0; corner < triangles.length; ++corner) {
    const triangle = Math.floor(corner / 3);
    const from = triangles[corner];
    const to = triangles[3 * triangle + ((corner + 1) % 3)];
    const mate = open.get(to * points + from);
    if (mate !== undefined) {
      edges[mate].other = corner;
      open.delete(to * points + from);
    } else {
      open.set(from * points + to, edges.length);
      edges.push({ triangle, corner, other: -1 });
    }
  }
  return edges;
}

function faceNormals(vertices: Float32Array, triangles: Uint32Array): Float32Array {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const n = cross(vertices, triangles[t] * 3, triangles[t + 1] * 3, triangles[t + 2] * 3);
    const size = Math.hypot(n[0], n[1], n[2]) || 1;
    normals.set([n[0] / size, n[1] / size, n[2] / size], t);
  }
  return normals;
}

function cross(v: Float32Array, a: number, b: number, c: number): [number, number, number] {
  const ux = v[b] - v[a], uy = v[b + 1] - v[a + 1], uz = v[b + 2] - v[a + 2];
  const wx = v[c] - v[a], wy = v[c + 1] - v[a + 1], wz = v[c + 2] - v[a + 2];
  return [uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx];
}

function dot(normals: Float32Array, a: number, b: number): number {
  return normals[3 * a] * normals[3 * b] + normals[3 * a + 1] * normals[3 * b + 1] + normals[3 * a + 2] * normals[3 * b + 2];
}

/** Normals of the drawn points from those of their triangles, by area, written in place. */
export function updateNormals(points: Float32Array, triangles: Uint32Array, normals: Float32Array): void {
  normals.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const wx = points[c] - points[a], wy = points[c + 1] - points[a + 1], wz = points[c + 2] - points[a + 2];
    const nx = uy * wz - uz * wy, ny = uz * wx - ux * wz, nz = ux * wy - uy * wx;
    normals[a] += nx; normals[a + 1] += ny; normals[a + 2] += nz;
    normals[b] += nx; normals[b + 1] += ny; normals[b + 2] += nz;
    normals[c] += nx; normals[c + 1] += ny; normals[c + 2] += nz;
  }
  for (let i = 0; i < normals.length; i += 3) {
    const size = 1 / (Math.hypot(normals[i], normals[i + 1], normals[i + 2]) || 1);
    normals[i] *= size; normals[i + 1] *= size; normals[i + 2] *= size;
  }
}

import {
  BackSide, Box3, BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, FrontSide, Group, LineBasicMaterial,
  LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, type Plane, Quaternion, Raycaster, Sphere, type Vector2,
  Vector3,
} from "three";
import { themeColour } from "../dom";
import type { BodyInfo, Frame, Hello, Mesh as Surface } from "../protocol";
import { writeColour } from "./colour_map";
import { type ShadedSurface, splitAtCreases, updateNormals } from "./creases";
import { discard } from "./discard";
import { SinkingScale } from "./sinking_scale";
import type { Stage } from "./stage";

const fixedColour = 0x8e99a9;
const colours = [0x3f7fcb, 0xd08a3c, 0x6a9f58, 0xa86a9d, 0x4f9d9d, 0xb8604f];

interface Body {
  info: BodyInfo;
  group: Group;
  shaded: ShadedSurface;
  points: BufferAttribute;
  normals: BufferAttribute;
  colours: BufferAttribute;
  mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
  cut: Mesh<BufferGeometry, MeshBasicMaterial>;
  lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  wires: LineSegments<BufferGeometry, LineBasicMaterial>;
}

/** The bodies of the scene, where the newest frame has them. */
export class Bodies {
  /** Of the colours, in units of the field; its top is 0 where bodies have their own. */
  readonly scale = new SinkingScale();
  private readonly bodies: (Body | undefined)[] = [];
  private isWireframe = false;

  constructor(private readonly stage: Stage, private readonly clip: Plane[]) {}

  begin(): void {
    for (const body of this.bodies) if (body) discard(body.group);
    this.bodies.length = 0;
    this.scale.forget();
  }

  add(surface: Surface, hello: Hello): void {
    const info = hello.bodies[surface.body];
    const moving = hello.bodies.slice(0, surface.body).filter((body) => body.kind !== "fixed").length;
    const colour = info.kind === "fixed" ? fixedColour : colours[moving % colours.length];
    const body = this.makeBody(info, surface, new Color(colour));
    this.bodies[surface.body] = body;
    this.stage.scene.add(body.group);
    this.showWires();
    this.retint();
  }

  update(frame: Frame): void {
    if (frame.field === 0) this.scale.forget();
    else this.scale.follow(frame.largestScalar);
    let from = 0;
    this.bodies.forEach((body, b) => {
      if (!body) return;
      body.group.position.fromArray(frame.poses, 7 * b);
      body.group.quaternion.fromArray(frame.poses, 7 * b + 3);
      const count = body.info.deforms ? body.info.vertices : 0;
      if (count > 0 && frame.vertices.length > 0) this.deform(body, frame, from, count);
      else if (body.mesh.material.vertexColors) showField(body, false);
      from += count;
    });
  }

  set wireframe(isWireframe: boolean) {
    this.isWireframe = isWireframe;
    this.showWires();
  }

  /** The cut faces of a section are drawn only while there is one. */
  showCuts(isCut: boolean): void {
    for (const body of this.bodies) if (body) body.cut.visible = isCut;
  }

  retint(): void {
    const ink = new Color(themeColour("ink"));
    for (const body of this.bodies) {
      body?.lines.material.color.copy(ink);
      body?.wires.material.color.copy(ink);
    }
  }

  /** Where a body is, with its points at rest. */
  boxOf(b: number, frame: Frame): Box3 {
    const box = new Box3();
    const body = this.bodies[b];
    if (!body) return box;
    box.setFromBufferAttribute(body.points);
    const pose = new Matrix4().compose(
      new Vector3().fromArray(frame.poses, 7 * b), new Quaternion().fromArray(frame.poses, 7 * b + 3), new Vector3(1, 1, 1));
    return box.applyMatrix4(pose);
  }

  /** The body under a place of the view (from -1 to 1 across), or -1. */
  bodyAt(place: Vector2): number {
    const ray = new Raycaster();
    ray.setFromCamera(place, this.stage.camera);
    let nearest = -1;
    let distance = Infinity;
    this.bodies.forEach((body, b) => {
      if (!body) return;
      body.mesh.geometry.computeBoundingSphere();
      const hit = ray.intersectObject(body.mesh, false)[0];
      if (hit && hit.distance < distance) [nearest, distance] = [b, hit.distance];
    });
    return nearest;
  }

  private makeBody(info: BodyInfo, surface: Surface, colour: Color): Body {
    const shaded = splitAtCreases(surface.vertices, surface.triangles);
    const size = 3 * shaded.source.length;
    const points = new BufferAttribute(new Float32Array(size), 3).setUsage(DynamicDrawUsage);
    const normals = new BufferAttribute(new Float32Array(size), 3).setUsage(DynamicDrawUsage);
    const tints = new BufferAttribute(new Float32Array(size), 3).setUsage(DynamicDrawUsage);
    const geometryOf = (index: Uint32Array) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", points);
      geometry.setIndex(new BufferAttribute(index, 1));
      geometry.boundingSphere = new Sphere();
      return geometry;
    };
    const solid = geometryOf(shaded.triangles);
    solid.setAttribute("normal", normals);
    solid.setAttribute("color", tints);
    const clippingPlanes = this.clip;
    const mesh = new Mesh(solid, new MeshStandardMaterial({
      color: colour, roughness: 0.55, metalness: 0.05, side: FrontSide, clippingPlanes,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    }));
    mesh.userData.colour = colour;
    const cut = new Mesh(solid, new MeshBasicMaterial({
      color: colour.clone().multiplyScalar(0.55), side: BackSide, clippingPlanes,
    }));
    cut.visible = clippingPlanes.length > 0;
    const lineMaterial = (opacity: number) => new LineBasicMaterial({ transparent: true, opacity, clippingPlanes });
    const lines = new LineSegments(geometryOf(shaded.creaseLines), lineMaterial(0.45));
    const wires = new LineSegments(geometryOf(shaded.meshLines), lineMaterial(0.3));
    const group = new Group();
    group.add(mesh, cut, lines, wires);
    for (const part of group.children) part.frustumCulled = false;
    const body = { info, group, shaded, points, normals, colours: tints, mesh, cut, lines, wires };
    place(body, surface.vertices, 0);
    return body;
  }

  private deform(body: Body, frame: Frame, from: number, count: number): void {
    place(body, frame.vertices, 3 * from);
    const hasField = frame.scalars.length >= from + count && this.scale.top > 0;
    showField(body, hasField);
    if (!hasField) return;
    const tints = body.colours.array as Float32Array;
    const { source } = body.shaded;
    for (let i = 0; i < source.length; ++i) writeColour(frame.scalars[from + source[i]] / this.scale.top, tints, 3 * i);
    body.colours.needsUpdate = true;
  }

  private showWires(): void {
    for (const body of this.bodies) if (body) body.wires.visible = this.isWireframe;
  }
}

function place(body: Body, vertices: Float32Array, at: number): void {
  const points = body.points.array as Float32Array;
  const { source, triangles } = body.shaded;
  for (let i = 0; i < source.length; ++i) {
    const from = at + 3 * source[i];
    points[3 * i] = vertices[from];
    points[3 * i + 1] = vertices[from + 1];
    points[3 * i + 2] = vertices[from + 2];
  }
  updateNormals(points, triangles, body.normals.array as Float32Array);
  body.points.needsUpdate = true;
  body.normals.needsUpdate = true;
}

function showField(body: Body, isShown: boolean): void {
  const material = body.mesh.material;
  if (material.vertexColors === isShown) return;
  material.vertexColors = isShown;
  material.color.copy(isShown ? new Color(0xffffff) : (body.mesh.userData.colour as Color));
  material.needsUpdate = true;
}

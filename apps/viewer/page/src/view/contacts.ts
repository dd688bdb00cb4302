import {
  Color, ConeGeometry, CylinderGeometry, DoubleSide, InstancedMesh, Matrix4, MeshBasicMaterial, Object3D, Quaternion,
  SphereGeometry, Vector3,
} from "three";
import { length3 } from "../numbers";
import { contactAt, contactState, contactWidth, type Frame } from "../protocol";
import { discard } from "./discard";
import { SinkingScale } from "./sinking_scale";
import type { Stage } from "./stage";

export const stickColour = 0x12a37c;
export const slipColour = 0xe8590c;
const along = new Vector3(0, 1, 0);

/** Forces of the contacts as arrows, in their friction cones; green sticks, orange slips. */
export class Contacts {
  /** Of the arrows: the force of the longest [N]. */
  readonly scale = new SinkingScale();
  private readonly group = new Object3D();
  private parts: { shafts: InstancedMesh; heads: InstancedMesh; cones: InstancedMesh; spots: InstancedMesh } | null = null;
  private capacity = 0;

  constructor(private readonly stage: Stage, private readonly isFixed: (body: number) => boolean) {
    stage.scene.add(this.group);
  }

  set visible(isVisible: boolean) {
    this.group.visible = isVisible;
  }

  forget(): void {
    this.scale.forget();
    if (this.parts) for (const part of Object.values(this.parts)) part.count = 0;
  }

  update(frame: Frame): void {
    if (frame.contactCount > this.capacity) this.makeParts(frame.contactCount);
    if (!this.parts) return;
    this.scale.follow(strongest(frame));
    const { shafts, heads, cones, spots } = this.parts;
    const size = this.stage.extent.radius;
    const spot = new Vector3(1, 1, 1).multiplyScalar(size * 0.009);
    const colour = new Color();
    let loaded = 0;
    for (let c = 0; c < frame.contactCount; ++c) {
      const at = c * contactWidth;
      const state = frame.contacts[at + contactAt.state];
      if (state === contactState.idle) continue;
      const point = new Vector3().fromArray(frame.contacts, at + contactAt.P);
      colour.set(state === contactState.slips ? slipColour : stickColour);
      spots.setMatrixAt(loaded, new Matrix4().compose(point, new Quaternion(), spot));
      this.placeForce(frame, at, point, loaded, colour);
      ++loaded;
    }
    for (const part of [shafts, heads, cones, spots]) {
      part.count = loaded;
      part.instanceMatrix.needsUpdate = true;
      if (part.instanceColor) part.instanceColor.needsUpdate = true;
    }
  }

  private placeForce(frame: Frame, at: number, point: Vector3, index: number, colour: Color): void {
    const { shafts, heads, cones, spots } = this.parts!;
    const size = this.stage.extent.radius;
    // forces on what moves, where the other body stands still
    const side = this.isFixed(frame.contacts[at + contactAt.body1]) ? -1 : 1;
    const normal = new Vector3().fromArray(frame.contacts, at + contactAt.normal).multiplyScalar(side);
    const force = new Vector3().fromArray(frame.contacts, at + contactAt.force).multiplyScalar(side);
    const mu = frame.contacts[at + contactAt.mu];
    const strength = force.length();
    const length = Math.max(0.02, strength / (this.scale.top || 1)) * size * 0.42;
    const direction = strength > 0 ? force.clone().divideScalar(strength) : normal;

    // an arrow out of the contact, along the force
    const turn = new Quaternion().setFromUnitVectors(along, direction);
    const thick = size * 0.0065;
    const head = Math.min(length * 0.5, size * 0.05);
    shafts.setMatrixAt(index, new Matrix4().compose(point, turn, new Vector3(thick, length - head, thick)));
    const neck = point.clone().addScaledVector(direction, length - head);
    heads.setMatrixAt(index, new Matrix4().compose(neck, turn, new Vector3(thick * 2.7, head, thick * 2.7)));

    // the cone of friction opens along the normal, as high as the arrow: in slip its tip is on the rim
    const tall = Math.max(size * 0.01, length * direction.dot(normal));
    const wide = Math.max(size * 0.001, mu * tall);
    const open = new Quaternion().setFromUnitVectors(along, normal);
    cones.setMatrixAt(index, new Matrix4().compose(point, open, new Vector3(wide, tall, wide)));
    for (const part of [shafts, heads, cones, spots]) part.setColorAt(index, colour);
  }

  private makeParts(count: number): void {
    this.capacity = Math.max(64, 2 * count);
    for (const part of [...this.group.children]) discard(part);
    const make = (geometry: ConstructorParameters<typeof InstancedMesh>[0], opacity: number, order: number) => {
      const material = new MeshBasicMaterial({
        transparent: true, opacity, depthTest: false, depthWrite: false, side: DoubleSide,
      });
      const part = new InstancedMesh(geometry, material, this.capacity);
      part.frustumCulled = false;
      part.renderOrder = order;
      part.count = 0;
      this.group.add(part);
      return part;
    };
    const cone = new ConeGeometry(1, 1, 28, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);
    this.parts = {
      cones: make(cone, 0.3, 10),
      shafts: make(new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), 0.95, 11),
      heads: make(new ConeGeometry(1, 1, 16).translate(0, 0.5, 0), 0.95, 12),
      spots: make(new SphereGeometry(1, 12, 8), 0.95, 13),
    };
  }
}

function strongest(frame: Frame): number {
  let largest = 0;
  for (let c = 0; c < frame.contactCount; ++c) largest = Math.max(largest, length3(frame.contacts, c * contactWidth + contactAt.force));
  return largest;
}

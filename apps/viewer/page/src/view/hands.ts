import {
  BufferAttribute, BufferGeometry, CapsuleGeometry, Color, DynamicDrawUsage, Group, Line, LineBasicMaterial, Mesh,
  MeshStandardMaterial, SphereGeometry, Vector3,
} from "three";
import { type Frame, handAt, type HandInfo, handWidth } from "../protocol";
import { discard } from "./discard";
import type { Stage } from "./stage";

const coilTurns = 9;
const coilPoints = 200;
const calm = new Color(0x7c8798);
const strained = new Color(0xc92a2a);

interface Hand {
  device: Group;
  grip: Mesh;
  target: Mesh;
  coil: Line<BufferGeometry, LineBasicMaterial>;
}

/** Devices as the hands hold them, the spots they grip, and the coupling between as a spring. */
export class Hands {
  private readonly hands: Hand[] = [];

  constructor(private readonly stage: Stage) {}

  begin(): void {
    for (const { device, grip, target, coil } of this.hands) for (const part of [device, grip, target, coil]) discard(part);
    this.hands.length = 0;
  }

  /** A hand that waits for the mouse is shown once it is taken. */
  update(frame: Frame, infos: HandInfo[]): void {
    while (this.hands.length < frame.handCount) this.hands.push(this.makeHand());
    for (let h = 0; h < frame.handCount; ++h) {
      const at = h * handWidth;
      const hand = this.hands[h];
      const holds = frame.hands[at + handAt.body] >= 0;
      hand.device.visible = infos[h]?.device !== "mouse" || frame.hands[at + handAt.isTaken] > 0;
      hand.device.position.fromArray(frame.hands, at + handAt.device);
      hand.device.quaternion.fromArray(frame.hands, at + handAt.device + 3);
      hand.grip.visible = hand.coil.visible = hand.target.visible = holds;
      if (!holds) continue;
      const grip = hand.grip.position.fromArray(frame.hands, at + handAt.grip);
      const target = hand.target.position.fromArray(frame.hands, at + handAt.target);
      const force = Math.hypot(...frame.hands.subarray(at + handAt.wrench, at + handAt.wrench + 3));
      hand.coil.material.color.lerpColors(calm, strained, Math.min(1, force / 10));
      this.wind(hand.coil, grip, target);
    }
  }

  private makeHand(): Hand {
    const size = this.stage.extent.radius;
    const skin = new MeshStandardMaterial({ color: 0x66748a, roughness: 0.35, metalness: 0.2 });
    const device = new Group();
    const pen = new Mesh(new CapsuleGeometry(size * 0.03, size * 0.16, 6, 20), skin);
    // a pen in the hand, drawn above the spot that it moves, along the vertical of the scene
    pen.position.copy(this.stage.camera.up).multiplyScalar(size * 0.15);
    pen.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), this.stage.camera.up);
    device.add(pen, new Mesh(new SphereGeometry(size * 0.022, 20, 14), skin));
    const ball = (colour: number) => {
      const mesh = new Mesh(new SphereGeometry(size * 0.017, 16, 12), new MeshStandardMaterial({
        color: colour, depthTest: false, transparent: true,
      }));
      mesh.renderOrder = 9;
      return mesh;
    };
    const path = new BufferGeometry();
    path.setAttribute("position", new BufferAttribute(new Float32Array(3 * coilPoints), 3).setUsage(DynamicDrawUsage));
    const coil = new Line(path, new LineBasicMaterial({ depthTest: false, transparent: true }));
    coil.frustumCulled = false;
    coil.renderOrder = 8;
    const hand = { device, grip: ball(0x12b886), target: ball(0xf08c00), coil };
    this.stage.scene.add(device, hand.grip, hand.target, coil);
    return hand;
  }

  /** A helix from one end to the other; straight pieces at the ends. */
  private wind(coil: Line<BufferGeometry, LineBasicMaterial>, from: Vector3, to: Vector3): void {
    const axis = to.clone().sub(from);
    const length = axis.length();
    const radius = Math.min(this.stage.extent.radius * 0.02, length);
    const direction = length > 0 ? axis.divideScalar(length) : new Vector3(0, 0, 1);
    const side = new Vector3(1, 0, 0).cross(direction);
    if (side.lengthSq() < 0.01) side.set(0, 1, 0).cross(direction);
    side.normalize();
    const other = new Vector3().crossVectors(direction, side);
    const points = coil.geometry.getAttribute("position") as BufferAttribute;
    for (let i = 0; i < coilPoints; ++i) {
      const share = i / (coilPoints - 1);
      const angle = share * coilTurns * 2 * Math.PI;
      const r = radius * Math.min(1, 8 * share, 8 * (1 - share));
      points.setXYZ(
        i,
        from.x + direction.x * length * share + r * (side.x * Math.cos(angle) + other.x * Math.sin(angle)),
        from.y + direction.y * length * share + r * (side.y * Math.cos(angle) + other.y * Math.sin(angle)),
        from.z + direction.z * length * share + r * (side.z * Math.cos(angle) + other.z * Math.sin(angle)),
      );
    }
    points.needsUpdate = true;
  }
}

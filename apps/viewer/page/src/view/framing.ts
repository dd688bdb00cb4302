import { Box3, Sphere, Vector3 } from "three";
import { type Frame, handAt, handWidth, type Hello } from "../protocol";
import type { Session } from "../session";
import type { Bodies } from "./bodies";
import type { Stage } from "./stage";

/** Shares of the view, from its middle, within which what moves is kept. */
const margin = 0.94;
/** In which the camera makes up most of the way that it is behind [s]. */
const followsIn_s = 0.15;
/** Shares of the size of the scene below which a way is none. */
const leastWay = 1e-3;
/** Bodies that have gone farther than so many times the size of the scene are let go. */
const lostAfter = 6;

/** What is looked at: a new scene, all of it on demand, and then whatever moves out of the view. */
export class Framing {
  private framedScene = "";
  private readonly starts: Vector3[] = [];
  private isFollowing = true;
  private followed_ms = 0;

  constructor(private readonly session: Session, private readonly stage: Stage, private readonly bodies: Bodies) {
    stage.onChosenView = () => { this.isFollowing = false; };
  }

  /** To be called with each frame, once the bodies are where it has them. */
  update(hello: Hello, frame: Frame): void {
    // a scene that begins anew is looked at from where it was
    if (this.framedScene !== hello.scene.name) this.begin(hello, frame);
    else if (this.isFollowing && !this.stage.isTurned && this.stage.orbit.enabled) this.follow(hello, frame);
  }

  /** All of the scene as it is now; from then on what moves is followed. */
  fit(): void {
    const { hello, frame } = this.session;
    if (!hello || !frame) return;
    this.isFollowing = true;
    const sphere = this.box(hello, frame).getBoundingSphere(new Sphere());
    if (sphere.radius > 0) this.stage.fit(sphere);
  }

  private begin(hello: Hello, frame: Frame): void {
    this.framedScene = hello.scene.name;
    this.isFollowing = true;
    this.starts.length = 0;
    hello.bodies.forEach((_, b) => this.starts.push(new Vector3().fromArray(frame.poses, 7 * b)));
    const up = new Vector3().fromArray(hello.scene.up);
    if (up.lengthSq() === 0) up.copy(standingOff(hello, devicesOf(hello, frame)));
    this.stage.extent.radius = 0;
    this.stage.frame(this.box(hello, frame), up.normalize());
  }

  /** What moves, the devices of its hands, and of floors and the like only what is near. */
  private box(hello: Hello, frame: Frame): Box3 {
    const box = this.movingBox(hello, frame);
    for (const device of devicesOf(hello, frame)) box.expandByPoint(device);
    const size = radiusOf(box);
    const near = box.clone().expandByScalar(box.isEmpty() ? Infinity : size / 4);
    hello.bodies.forEach((_, b) => {
      if (this.isMoving(hello, frame, b)) return;
      const fixed = this.bodies.boxOf(b, frame);
      box.union(radiusOf(fixed) < 2 * size ? fixed : fixed.intersect(near));
    });
    return box;
  }

  /** Bodies that are free to move, or led; but for those that have gone for good. */
  private movingBox(hello: Hello, frame: Frame): Box3 {
    const box = new Box3();
    const { radius } = this.stage.extent;
    hello.bodies.forEach((_, b) => {
      if (!this.isMoving(hello, frame, b) || (radius > 0 && this.way(frame, b) > lostAfter * radius)) return;
      box.union(this.bodies.boxOf(b, frame));
    });
    return box;
  }

  private isMoving(hello: Hello, frame: Frame, body: number): boolean {
    return hello.bodies[body].kind !== "fixed" || this.way(frame, body) > leastWay * this.stage.extent.radius;
  }

  /** From where the body was at the start. */
  private way(frame: Frame, body: number): number {
    return this.starts[body]?.distanceTo(new Vector3().fromArray(frame.poses, 7 * body)) ?? 0;
  }

  /** Moves the camera along with what would leave the view, and back where it does not fit. */
  private follow(hello: Hello, frame: Frame): void {
    const now = performance.now();
    const share = 1 - Math.exp(-Math.min(1, (now - this.followed_ms) / 1000) / followsIn_s);
    this.followed_ms = now;
    const box = this.movingBox(hello, frame);
    if (box.isEmpty()) return;
    const { camera } = this.stage;
    camera.updateMatrixWorld();
    const seen = new Box3();
    for (let k = 0; k < 8; ++k) {
      const corner = new Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z);
      seen.expandByPoint(corner.project(camera));
    }
    const across = beyond(seen.min.x, seen.max.x);
    const upwards = beyond(seen.min.y, seen.max.y);
    const tooLarge = Math.max(seen.max.x - seen.min.x, seen.max.y - seen.min.y) > 2 * margin;
    if (across === 0 && upwards === 0 && !tooLarge) return;
    const depth = box.getCenter(new Vector3()).sub(camera.position).dot(camera.getWorldDirection(new Vector3()));
    const half = depth * Math.tan((camera.fov * Math.PI) / 360);
    const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    const way = right.multiplyScalar(across * half * camera.aspect).addScaledVector(up, upwards * half);
    this.stage.shift(way.multiplyScalar(share), tooLarge ? 1 + 0.2 * share : 1);
  }
}

/** How far a range stands out of the view on one side; where on both, how far its middle is off. */
function beyond(low: number, high: number): number {
  if (high - low > 2 * margin) return (low + high) / 2;
  return Math.max(0, high - margin) + Math.min(0, low + margin);
}

function devicesOf(hello: Hello, frame: Frame): Vector3[] {
  const devices: Vector3[] = [];
  for (let h = 0; h < frame.handCount; ++h) {
    // a hand that nobody has taken up is nowhere
    if (hello.hands[h]?.device === "mouse" && !(frame.hands[h * handWidth + handAt.isTaken] > 0)) continue;
    devices.push(new Vector3().fromArray(frame.hands, h * handWidth + handAt.device));
  }
  return devices;
}

function radiusOf(box: Box3): number {
  return box.getBoundingSphere(new Sphere()).radius;
}

/** Without gravity: the axis along which the device stands off the bodies, z where that is not clear. */
function standingOff(hello: Hello, devices: Vector3[]): Vector3 {
  const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
  if (devices.length === 0) return axes[2];
  const [low, high] = hello.scene.box_m;
  const centre = new Vector3().fromArray(low).add(new Vector3().fromArray(high)).multiplyScalar(0.5);
  const way = devices[0].clone().sub(centre);
  return axes.find((axis) => Math.abs(way.dot(axis)) > 0.9 * way.length()) ?? axes[2];
}

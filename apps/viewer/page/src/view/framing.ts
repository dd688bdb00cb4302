import { Box3, Sphere, Vector3 } from "three";
import { type Frame, handAt, handWidth, type Hello } from "../protocol";
import type { Bodies } from "./bodies";
import type { Stage } from "./stage";

/** Puts a new scene into the view: what moves, the devices of its hands, and what is near them. */
export function frameScene(stage: Stage, hello: Hello, bodies: Bodies, frame: Frame): void {
  const box = new Box3();
  const isFixed = (b: number) => hello.bodies[b].kind === "fixed";
  hello.bodies.forEach((_, b) => {
    if (!isFixed(b)) box.union(bodies.boxOf(b, frame));
  });
  const devices: Vector3[] = [];
  for (let h = 0; h < frame.handCount; ++h) devices.push(new Vector3().fromArray(frame.hands, h * handWidth + handAt.device));
  const up = new Vector3().fromArray(hello.scene.up);
  if (up.lengthSq() === 0) up.copy(standingOff(hello, devices));
  for (const device of devices) box.expandByPoint(device);

  // of floors and the like only what is near
  const size = radiusOf(box);
  const near = box.clone().expandByScalar(box.isEmpty() ? Infinity : size / 4);
  hello.bodies.forEach((_, b) => {
    if (!isFixed(b)) return;
    const fixed = bodies.boxOf(b, frame);
    box.union(radiusOf(fixed) < 2 * size ? fixed : fixed.intersect(near));
  });
  stage.frame(box, up.normalize());
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

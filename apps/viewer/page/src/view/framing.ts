import { Box3, Vector3 } from "three";
import { type Frame, handAt, handWidth, type Hello } from "../protocol";
import type { Stage } from "./stage";

/** Puts a new scene into the view: its bodies and the devices of its hands. */
export function frameScene(stage: Stage, hello: Hello, frame: Frame): void {
  const [low, high] = hello.scene.box_m;
  const box = new Box3(new Vector3().fromArray(low), new Vector3().fromArray(high));
  const devices: Vector3[] = [];
  for (let h = 0; h < frame.handCount; ++h) devices.push(new Vector3().fromArray(frame.hands, h * handWidth + handAt.device));
  const up = new Vector3().fromArray(hello.scene.up);
  if (up.lengthSq() === 0) up.copy(standingOff(box, devices));
  for (const device of devices) box.expandByPoint(device);
  stage.frame(box, up.normalize());
}

/** Without gravity: the axis along which the device stands off the bodies. */
function standingOff(box: Box3, devices: Vector3[]): Vector3 {
  if (devices.length === 0) return new Vector3(0, 0, 1);
  const way = devices[0].clone().sub(box.getCenter(new Vector3()));
  const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
  return axes.reduce((best, axis) => (Math.abs(way.dot(axis)) > Math.abs(way.dot(best)) + 1e-9 ? axis : best), axes[2]);
}

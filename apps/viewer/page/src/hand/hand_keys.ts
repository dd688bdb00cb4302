import { Vector3 } from "three";
import type { Session } from "../session";
import type { Stage } from "../view/stage";
import type { HandControl } from "./hand_control";

const directions: Record<string, [number, number, number]> = {
  ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0],
  PageUp: [0, 0, 1], PageDown: [0, 0, -1],
};

/** Arrow keys move and turn the held body, as long as they are down; else they turn the camera. */
export class HandKeys {
  private readonly down = new Set<string>();
  private isTurning = false;
  private last = 0;

  constructor(private readonly session: Session, private readonly stage: Stage, private readonly hand: HandControl) {
    window.addEventListener("keyup", (event) => this.down.delete(event.key));
    window.addEventListener("blur", () => this.down.clear());
  }

  press(event: KeyboardEvent): void {
    this.down.add(event.key);
    this.isTurning = event.shiftKey;
  }

  /** Once a picture, with the time in ms. */
  move(now: number): void {
    const span_s = Math.min(0.05, (now - this.last) / 1000);
    this.last = now;
    if (this.down.size === 0) return;
    const way = new Vector3();
    for (const key of this.down) way.add(new Vector3().fromArray(directions[key]));
    if (!this.session.isHolding) {
      this.stage.turn(-way.x * 1.6 * span_s, way.y * 1.2 * span_s);
      if (way.z !== 0) this.stage.zoom(1 - way.z * span_s);
      return;
    }
    const axis = (column: number) => new Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, column);
    if (this.isTurning) {
      this.hand.turn(axis(1), way.x * 0.8 * span_s);
      this.hand.turn(axis(0), -way.y * 0.8 * span_s);
      this.hand.turn(axis(2), way.z * 0.8 * span_s);
    } else {
      // the scene's extent is crossed in four seconds
      const speed = (this.stage.extent.radius / 2) * span_s;
      this.hand.move(axis(0).multiplyScalar(way.x * speed).addScaledVector(axis(1), way.y * speed)
        .addScaledVector(axis(2), -way.z * speed));
    }
  }
}

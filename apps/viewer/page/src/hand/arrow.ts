import { Vector3 } from "three";
import { themeColour } from "../dom";
import { quantity } from "../numbers";
import { handAt } from "../protocol";
import type { Session } from "../session";
import type { Stage } from "../view/stage";
import type { Pointer } from "./pointer";

const leastForce = 0.05;

/** The force that the hand feels, as an arrow at the cursor, or at the device where none drags. */
export class ForceArrow {
  private readonly pen: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly session: Session,
              private readonly stage: Stage, private readonly pointer: Pointer) {
    this.pen = canvas.getContext("2d")!;
  }

  draw(): void {
    const ratio = Math.min(devicePixelRatio, 2);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.pen.clearRect(0, 0, width, height);
    const { frame, hand } = this.session;
    if (!frame || hand >= frame.handCount) return;
    const at = hand * (frame.hands.length / frame.handCount);
    const device = new Vector3().fromArray(frame.hands, at + handAt.device);
    const force = new Vector3().fromArray(frame.hands, at + handAt.wrench);
    const strength = force.length();
    if (strength < leastForce) return;

    // direction on the screen: the parts along its right and its up
    const right = new Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, 1);
    const length = (150 * strength) / (strength + 6);
    const dx = (force.dot(right) / strength) * length;
    const dy = (-force.dot(up) / strength) * length;
    const spot = device.project(this.stage.camera);
    const x = this.pointer.cursor?.x ?? ((spot.x + 1) / 2) * width;
    const y = this.pointer.cursor?.y ?? ((1 - spot.y) / 2) * height;
    this.arrow(x, y, dx, dy, quantity(strength, "N"));
  }

  private arrow(x: number, y: number, dx: number, dy: number, label: string): void {
    const { pen } = this;
    const length = Math.hypot(dx, dy);
    const head = Math.min(14, length * 0.6);
    const ux = length > 0 ? dx / length : 0;
    const uy = length > 0 ? dy / length : 0;
    const path = () => {
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + dx - ux * head, y + dy - uy * head);
      pen.stroke();
      pen.beginPath();
      pen.moveTo(x + dx, y + dy);
      pen.lineTo(x + dx - ux * head - uy * head * 0.5, y + dy - uy * head + ux * head * 0.5);
      pen.lineTo(x + dx - ux * head + uy * head * 0.5, y + dy - uy * head - ux * head * 0.5);
      pen.closePath();
      pen.fill();
    };
    pen.lineCap = "butt";
    pen.strokeStyle = pen.fillStyle = themeColour("bad");
    pen.lineWidth = 4;
    path();
    pen.font = `600 13px ${getComputedStyle(document.body).fontFamily}`;
    pen.textAlign = ux < -0.3 ? "right" : "left";
    pen.lineWidth = 4;
    pen.lineJoin = "round";
    pen.strokeStyle = themeColour("surface");
    const [tx, ty] = [x + dx + (ux < -0.3 ? -8 : 8), y + dy + (uy < 0 ? 2 : 10)];
    pen.strokeText(label, tx, ty);
    pen.fillText(label, tx, ty);
  }
}

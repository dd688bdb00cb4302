import { Vector2, Vector3 } from "three";
import { handAt } from "../protocol";
import type { Session } from "../session";
import type { Bodies } from "../view/bodies";
import type { Stage } from "../view/stage";
import type { HandControl } from "./hand_control";

/** Drags the held body by the mouse: plane of the screen, wheel for depth, Shift to turn. */
export class Pointer {
  /** Place of the cursor in the view [px] while a body is dragged. */
  cursor: Vector2 | null = null;
  private lastHover = 0;

  constructor(
    private readonly view: HTMLElement,
    private readonly session: Session,
    private readonly stage: Stage,
    private readonly bodies: Bodies,
    private readonly hand: HandControl,
  ) {
    // before the camera's controls hear of it
    view.addEventListener("pointerdown", (event) => this.begin(event), { capture: true });
    view.addEventListener("pointermove", (event) => this.drag(event), { capture: true });
    view.addEventListener("pointerup", () => this.end(), { capture: true });
    view.addEventListener("pointercancel", () => this.end(), { capture: true });
    view.addEventListener("wheel", (event) => this.wheel(event), { capture: true, passive: false });
  }

  /** Length at the hand's distance that one pixel covers [m]. */
  get metresPerPixel(): number {
    const { camera, renderer } = this.stage;
    const depth = this.hand.position.clone().sub(camera.position).dot(camera.getWorldDirection(new Vector3()));
    return (2 * depth * Math.tan((camera.fov * Math.PI) / 360)) / renderer.domElement.clientHeight;
  }

  /** The hand that may take the body under the cursor, and that body. */
  private handFor(event: PointerEvent): { hand: number; body: number } | null {
    const canvas = this.stage.renderer.domElement;
    if (event.target !== canvas || !this.session.hasControls || this.session.recording) return null;
    const box = canvas.getBoundingClientRect();
    const place = new Vector2(
      ((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    const body = this.bodies.bodyAt(place);
    if (body < 0) return null;
    const hand = (this.session.hello?.hands ?? []).findIndex((h) => h.can_be_taken && h.bodies.includes(body));
    return hand < 0 ? null : { hand, body };
  }

  /** The cursor tells what can be taken. */
  private hover(event: PointerEvent): void {
    if (event.buttons !== 0 || event.timeStamp - this.lastHover < 100) return;
    this.lastHover = event.timeStamp;
    this.view.classList.toggle("can-grab", this.handFor(event) !== null);
  }

  private begin(event: PointerEvent): void {
    const found = event.button === 0 ? this.handFor(event) : null;
    if (found === null) return;
    const canvas = this.stage.renderer.domElement;
    const box = canvas.getBoundingClientRect();
    this.session.hand = found.hand;
    if (!this.session.isHolding || this.session.handNumber(handAt.body) !== found.body) this.hand.grab(found.body);
    this.stage.orbit.enabled = false;
    canvas.setPointerCapture(event.pointerId);
    this.cursor = new Vector2(event.clientX - box.left, event.clientY - box.top);
    this.view.classList.add("is-dragging");
  }

  private drag(event: PointerEvent): void {
    if (!this.cursor) {
      this.hover(event);
      return;
    }
    const box = this.stage.renderer.domElement.getBoundingClientRect();
    const now = new Vector2(event.clientX - box.left, event.clientY - box.top);
    const across = now.x - this.cursor.x;
    const down = now.y - this.cursor.y;
    this.cursor = now;
    const right = new Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, 1);
    if (event.shiftKey) {
      this.hand.turn(up, across * 0.006);
      this.hand.turn(right, down * 0.006);
    } else {
      const scale = this.metresPerPixel;
      this.hand.move(right.multiplyScalar(across * scale).addScaledVector(up, -down * scale));
    }
  }

  private wheel(event: WheelEvent): void {
    if (!this.cursor) return;
    event.preventDefault();
    event.stopPropagation();
    const ahead = this.stage.camera.getWorldDirection(new Vector3());
    this.hand.move(ahead.multiplyScalar(-event.deltaY * 0.15 * this.metresPerPixel));
  }

  private end(): void {
    if (!this.cursor) return;
    this.cursor = null;
    this.stage.orbit.enabled = true;
    this.view.classList.remove("is-dragging");
  }
}

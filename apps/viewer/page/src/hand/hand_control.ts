import { Quaternion, Vector3 } from "three";
import { byId, setPressed, setText } from "../dom";
import { handAt } from "../protocol";
import type { Session } from "../session";

/** The person's hand: grabs, releases, and says where the device should be. */
export class HandControl {
  readonly position = new Vector3();
  private readonly orientation = new Quaternion();
  private hasMoved = false;
  /** What the engine is to put into the hand, and the way the hand has gone until it has. */
  private awaited: { body: number; way: Vector3 } | null = null;

  constructor(private readonly session: Session) {
    const button = byId<HTMLButtonElement>("grab");
    button.onclick = () => this.toggle();
    session.on("draw", () => {
      this.receive();
      setPressed(button, session.isHolding);
      setText(button, session.isHolding ? "Release" : "Grab");
    });
    const enable = () => {
      button.disabled = !session.hasControls || !this.canGrab || session.recording !== null;
    };
    session.on("controls", enable);
    session.on("message", enable);
  }

  get canGrab(): boolean {
    return this.session.hello?.hands[this.session.hand]?.can_be_taken ?? false;
  }

  toggle(): void {
    if (this.session.isHolding) this.release();
    else this.grab();
  }

  /** What is nearest to the hand, or a body. */
  grab(body?: number): void {
    const { frame, hand } = this.session;
    if (!frame || !this.canGrab || !this.session.hasControls || this.session.recording) return;
    const hasChoice = (this.session.hello?.hands[hand]?.bodies.length ?? 0) > 1;
    this.session.send(body === undefined ? { type: "grab", hand } : { type: "grab", hand, body });
    if (body !== undefined && hasChoice) {
      this.awaited = { body, way: new Vector3() };
      this.position.fromArray(frame.poses, 7 * body);
      return;
    }
    this.startFromDevice();
  }

  /** Where the device is: no jump. */
  private startFromDevice(): void {
    const { frame, hand } = this.session;
    if (!frame) return;
    const at = hand * (frame.hands.length / frame.handCount) + handAt.device;
    this.position.fromArray(frame.hands, at);
    this.orientation.fromArray(frame.hands, at + 3);
    this.hasMoved = true;
  }

  private receive(): void {
    if (this.awaited === null || !this.session.isHolding) return;
    if (this.session.handNumber(handAt.body, -1) !== this.awaited.body) return;
    this.startFromDevice();
    this.position.add(this.awaited.way);
    this.awaited = null;
  }

  release(): void {
    if (!this.session.isHolding) return;
    this.session.send({ type: "release", hand: this.session.hand });
  }

  /** The next hand that can be taken. */
  next(): void {
    const hands = this.session.hello?.hands ?? [];
    for (let k = 1; k <= hands.length; ++k) {
      const candidate = (this.session.hand + k) % hands.length;
      if (hands[candidate].can_be_taken) {
        this.session.hand = candidate;
        return;
      }
    }
  }

  move(by: Vector3): void {
    if (this.awaited !== null) {
      this.awaited.way.add(by);
      return;
    }
    this.position.add(by);
    this.hasMoved = true;
  }

  turn(axis: Vector3, angle: number): void {
    if (this.awaited !== null) return;
    this.orientation.premultiply(new Quaternion().setFromAxisAngle(axis, angle)).normalize();
    this.hasMoved = true;
  }

  /** Once a picture: tells the engine where the hand went. */
  tell(): void {
    if (!this.hasMoved) return;
    this.hasMoved = false;
    this.session.send({
      type: "hand",
      hand: this.session.hand,
      position: this.position.toArray(),
      orientation: this.orientation.toArray() as number[],
    });
  }
}

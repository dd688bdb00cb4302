import { Connection, type Link } from "./connection";
import {
  type Binary, type ClientMessage, type Delassus, type Frame, frameFlag, handAt, handWidth, type Hello, type Mesh,
  type OpenRecording, type ServerMessage,
} from "./protocol";

type Events = {
  link: Link;
  hello: Hello;
  mesh: Mesh;
  rows: Frame;
  draw: Frame;
  delassus: Delassus;
  message: ServerMessage;
  controls: boolean;
};

/** What the page knows of the engine, and who is told when it changes. */
export class Session {
  link: Link = "connecting";
  hello: Hello | null = null;
  frame: Frame | null = null;
  recording: OpenRecording | null = null;
  recordingBeingWritten: string | null = null;
  hasControls = false;
  viewers = 1;
  /** Index of the hand that mouse and keyboard move. */
  hand = 0;
  private isDrawn = true;
  private readonly listeners = new Map<keyof Events, ((value: never) => void)[]>();
  private readonly connection = new Connection({
    onLink: (link) => this.onLink(link),
    onText: (message) => this.onText(message),
    onBinary: (message) => this.onBinary(message),
  });

  on<K extends keyof Events>(event: K, listener: (value: Events[K]) => void): void {
    const all = this.listeners.get(event) ?? [];
    all.push(listener as (value: never) => void);
    this.listeners.set(event, all);
  }

  send(message: ClientMessage): void {
    this.connection.send(message);
  }

  address(path: string): string {
    return this.connection.address(path);
  }

  /** Draws the newest frame, if it was not drawn yet, and lets the server send another. */
  drawNewest(): void {
    if (this.isDrawn || !this.frame) return;
    this.isDrawn = true;
    this.tell("draw", this.frame);
    this.send({ type: "ack", frame: this.frame.sequence });
  }

  get runs(): boolean {
    return this.frame !== null && (this.frame.flags & frameFlag.runs) !== 0;
  }

  /** One number of the active hand, or `otherwise` where there is none. */
  handNumber(column: number, otherwise = 0): number {
    if (!this.frame || this.hand >= this.frame.handCount) return otherwise;
    return this.frame.hands[this.hand * handWidth + column];
  }

  get isHandTaken(): boolean {
    return this.handNumber(handAt.isTaken) > 0;
  }

  get isHolding(): boolean {
    return this.isHandTaken && this.handNumber(handAt.body, -1) >= 0;
  }

  /** A hand is at work in the scene: an operator's, a person's. One that nobody has taken up yet is none. */
  get hasHand(): boolean {
    const hand = this.hello?.hands[this.hand];
    return hand !== undefined && (hand.device !== "mouse" || this.isHandTaken || this.recording !== null);
  }

  private tell<K extends keyof Events>(event: K, value: Events[K]): void {
    for (const listener of this.listeners.get(event) ?? []) (listener as (v: Events[K]) => void)(value);
  }

  private onLink(link: Link): void {
    this.link = link;
    this.tell("link", link);
  }

  private onText(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        this.drop();
        this.hello = message;
        this.frame = null;
        this.hand = Math.max(0, message.hands.findIndex((hand) => hand.can_be_taken));
        if (!message.scene.is_recording) this.recording = null;
        this.tell("hello", message);
        this.setControls(message.controls);
        break;
      case "controls":
        this.viewers = message.viewers;
        this.setControls(message.controls);
        break;
      case "parameters":
        if (this.hello?.scene.number === message.scene) this.hello.parameters = message.parameters;
        break;
      case "recordings":
        this.recordingBeingWritten = message.recording;
        break;
      case "recording":
        this.recording = message.name === null ? null : message;
        break;
    }
    this.tell("message", message);
  }

  /** A frame that was not drawn yet never will be; the server waits for an answer all the same. */
  private drop(): void {
    if (!this.isDrawn && this.frame) this.send({ type: "ack", frame: this.frame.sequence });
    this.isDrawn = true;
  }

  private setControls(hasControls: boolean): void {
    this.hasControls = hasControls;
    this.tell("controls", hasControls);
  }

  private onBinary(message: Binary): void {
    if (message.scene !== this.hello?.scene.number) {
      if (message.kind === "frame") this.send({ type: "ack", frame: message.frame.sequence });
      return;
    }
    if (message.kind === "mesh") this.tell("mesh", message.mesh);
    if (message.kind === "delassus") this.tell("delassus", message.delassus);
    if (message.kind !== "frame") return;
    this.drop();
    this.frame = message.frame;
    this.isDrawn = false;
    this.tell("rows", message.frame);
  }
}

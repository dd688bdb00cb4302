import { byId, setPressed } from "../dom";
import { type Frame, tickAt, tickHandWidth } from "../protocol";
import type { Session } from "../session";

const delay_s = 0.08;

/**
 * The loop's force as sound. Its changes are played as they are, tick by tick, so that a snap is a
 * click and slip a rattle; its amount is a low hum that grows with it.
 */
export class ForceSound {
  private context: AudioContext | null = null;
  private hum: GainNode | null = null;
  private changes: GainNode | null = null;
  private playedUntil = 0;
  private slow = 0;
  private last = 0;

  constructor(private readonly session: Session) {
    byId("sound").onclick = () => this.toggle();
    session.on("rows", (frame) => this.play(frame));
  }

  toggle(): void {
    const isOn = this.context?.state !== "running";
    if (!this.context) this.open();
    void (isOn ? this.context!.resume() : this.context!.suspend());
    this.playedUntil = 0;
    setPressed(byId("sound"), isOn);
  }

  private open(): void {
    const context = new AudioContext();
    const limiter = context.createDynamicsCompressor();
    limiter.connect(context.destination);
    this.changes = context.createGain();
    this.changes.gain.value = 0.5;
    this.changes.connect(limiter);
    this.hum = context.createGain();
    this.hum.gain.value = 0;
    this.hum.connect(limiter);
    const voice = context.createOscillator();
    voice.frequency.value = 110;
    voice.connect(this.hum);
    voice.start();
    this.context = context;
  }

  private play(frame: Frame): void {
    const { context, session } = this;
    if (!context || context.state !== "running" || session.recording || frame.tickCount < 2 || session.hand >= frame.handCount) return;
    const tick_s = session.hello?.scene.tick_s ?? 1e-3;
    const rate = context.sampleRate;
    const perTick = tick_s * rate;
    const sound = context.createBuffer(1, Math.max(1, Math.round(frame.tickCount * perTick)), rate);
    const samples = sound.getChannelData(0);
    const at = 1 + session.hand * tickHandWidth + tickAt.force;
    let strength = 0;
    let k = 0;
    for (let t = 0; t < frame.tickCount; ++t) {
      // what changes faster than in 20 ms is heard, drawn smoothly from tick to tick
      const row = t * frame.tickWidth + at;
      strength = Math.hypot(frame.tickRows[row], frame.tickRows[row + 1], frame.tickRows[row + 2]);
      this.slow += (strength - this.slow) * Math.min(1, tick_s / 0.02);
      const change = Math.tanh((strength - this.slow) * 0.5);
      const until = Math.min(samples.length, Math.round((t + 1) * perTick));
      const from = k;
      for (; k < until; ++k) {
        const w = (k - from + 1) / (until - from);
        samples[k] = this.last + (change - this.last) * w * w * (3 - 2 * w);
      }
      this.last = change;
    }
    const now = context.currentTime;
    if (this.playedUntil < now + 0.01 || this.playedUntil > now + 0.4) this.playedUntil = now + delay_s;
    const source = context.createBufferSource();
    source.buffer = sound;
    source.connect(this.changes!);
    source.start(this.playedUntil);
    this.hum!.gain.linearRampToValueAtTime(0.12 * (1 - Math.exp(-strength / 8)), this.playedUntil + sound.duration);
    this.playedUntil += sound.duration;
  }
}

import { byId, setText } from "../dom";
import { frameFlag } from "../protocol";
import type { Session } from "../session";
import { notice } from "./notices";

/** Whether the engine is there, what it does, and what went wrong. */
export class Status {
  private readonly pill = byId("status");
  private lost: HTMLElement | null = null;
  private loading: HTMLElement | null = null;

  constructor(private readonly session: Session) {
    session.on("link", (link) => {
      if (link === "open") {
        this.lost?.remove();
        this.lost = null;
      } else if (link !== "connecting") {
        this.lost ??= notice("", "bad", Infinity);
        setText(this.lost, link === "refused"
          ? "This address belongs to an earlier launch: open the one that the engine has printed now."
          : "The engine has stopped or the connection dropped. Trying again every second…");
      }
      this.show();
    });
    session.on("draw", () => this.show());
    session.on("controls", () => this.show());
    session.on("message", (message) => {
      if (message.type === "error") notice(message.text, "bad", 7);
      if (message.type === "log") notice(message.text);
      if (message.type === "warning" && message.text) notice(message.text, "bad", 15);
      if (message.type === "loading") this.showLoading(message.what, message.share);
      if (message.type === "hello") {
        this.showLoading("", 1);
        document.title = `${message.scene.name} – stickslip`;
      }
    });
    this.pill.onclick = () => {
      if (!session.hasControls) session.send({ type: "take_controls" });
    };
  }

  private show(): void {
    const { session } = this;
    const [state, text] = this.state();
    this.pill.dataset.state = state;
    setText(this.pill, session.link === "open" && !session.hasControls ? `${text}, watching` : text);
    this.pill.title = session.hasControls ? "" : "Another page holds the controls; a click asks for them";
    this.showClock();
  }

  private state(): [string, string] {
    const { session } = this;
    if (session.link === "connecting") return ["waiting", "Connecting"];
    if (session.link !== "open") return ["lost", "No engine"];
    if (session.recording) return ["replay", "Recording"];
    return session.runs ? ["live", "Live"] : ["paused", "Paused"];
  }

  private showClock(): void {
    const { frame } = this.session;
    if (!frame) return;
    const share = Math.abs(frame.realTimeShare - 1) < 0.05 ? "real time" : `${frame.realTimeShare.toFixed(2)} × real time`;
    const trouble = frame.flags & frameFlag.notFinite ? ", not finite" : frame.flags & frameFlag.notConverged ? ", not converged" : "";
    setText(byId("clock"), `${frame.time_s.toFixed(3)} s${this.session.runs ? `, ${share}` : ""}${trouble}`);
  }

  private showLoading(what: string, share: number): void {
    if (share >= 1) {
      this.loading?.remove();
      this.loading = null;
      return;
    }
    this.loading ??= notice("", "info", Infinity);
    setText(this.loading, `Preparing ${what}: ${Math.round(share * 100)} %`);
  }
}

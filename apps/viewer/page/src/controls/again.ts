import { byId, make } from "../dom";
import { type Frame, handAt, handWidth } from "../protocol";
import type { Session } from "../session";
import type { Transport } from "./transport";

/** Offers to begin anew, once a scene has shown what it has to show and nobody has taken over. */
export class Again {
  private readonly card = byId("again");
  private isDismissed = false;

  constructor(private readonly session: Session, transport: Transport) {
    const what = make("span");
    const again = make("button", { class: "primary", title: "From the start, the operator at work (R)" }, "Watch again");
    again.onclick = () => transport.watchAgain();
    const close = make("button", { class: "icon", title: "Not now", "aria-label": "Not now" }, "×");
    close.onclick = () => { this.isDismissed = true; };
    this.card.append(what, again, close);
    session.on("hello", (hello) => {
      this.isDismissed = false;
      what.textContent = hello.hands.some((hand) => hand.device !== "mouse")
        ? "The operator is done: drag the tool yourself, or" : `All ${hello.scene.duration_s} s are over.`;
      again.disabled = !hello.controls;
    });
    session.on("controls", (hasControls) => { again.disabled = !hasControls; });
    session.on("draw", (frame) => { this.card.hidden = this.isDismissed || !this.isOver(frame); });
  }

  private isOver(frame: Frame): boolean {
    const { hello } = this.session;
    if (!hello || hello.scene.is_recording || frame.time_s < hello.scene.duration_s) return false;
    for (let h = 0; h < frame.handCount; ++h) if (frame.hands[h * handWidth + handAt.isTaken] > 0) return false;
    return true;
  }
}

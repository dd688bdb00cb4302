import { byId, make, setText } from "../dom";
import { quantity } from "../numbers";
import { handAt } from "../protocol";
import type { Session } from "../session";

const safeties = ["", "force comes in", "simulation stalled: force faded", "force cut for safety"];

/** The force in the hand, in large figures, and why it is held back where it is. */
export class Readout {
  constructor(session: Session) {
    const force = make("strong");
    const who = make("span");
    byId("readout").append(force, who);
    session.on("draw", (frame) => {
      byId("readout").hidden = frame.handCount === 0;
      const at = [0, 1, 2].map((k) => session.handNumber(handAt.wrench + k));
      setText(force, `${Math.hypot(...at).toFixed(2)} N`);
      const holder = session.recording ? "in the recording" : session.isHandTaken ? "in your hand" : "in the operator's hand";
      const safety = session.recording ? "" : safeties[session.handNumber(handAt.safety)] ?? "";
      const torque = quantity(Math.hypot(...[3, 4, 5].map((k) => session.handNumber(handAt.wrench + k))), "N m");
      setText(who, safety ? `${holder}; ${safety}` : `${torque}, ${holder}`);
    });
  }
}

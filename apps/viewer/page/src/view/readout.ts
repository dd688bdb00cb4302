import { byId, make, setText } from "../dom";
import { quantity } from "../numbers";
import { contactWidth, type Frame, handAt } from "../protocol";
import { normalForce } from "../records";
import type { Session } from "../session";

const safeties = ["", "force comes in", "simulation stalled: force faded", "force cut for safety"];

/** The force in the hand, in large figures, and why it is held back where it is; without a hand, that in the contacts. */
export class Readout {
  constructor(session: Session) {
    const force = make("strong");
    const who = make("span");
    byId("readout").append(force, who);
    session.on("draw", (frame) => {
      if (!session.hasHand) {
        setText(force, `${contactForce(frame).toFixed(2)} N`);
        setText(who, "normal forces of all contacts");
        return;
      }
      const at = [0, 1, 2].map((k) => session.handNumber(handAt.wrench + k));
      setText(force, `${Math.hypot(...at).toFixed(2)} N`);
      const holder = session.recording ? "in the recording" : session.isHandTaken ? "in your hand" : "in the operator's hand";
      const safety = session.recording ? "" : safeties[session.handNumber(handAt.safety)] ?? "";
      const torque = quantity(Math.hypot(...[3, 4, 5].map((k) => session.handNumber(handAt.wrench + k))), "N m");
      setText(who, safety ? `${holder}; ${safety}` : `${torque}, ${holder}`);
    });
  }
}

function contactForce(frame: Frame): number {
  let sum = 0;
  for (let c = 0; c < frame.contactCount; ++c) sum += normalForce(frame, c * contactWidth);
  return sum;
}

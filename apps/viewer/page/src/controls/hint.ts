import { byId, make } from "../dom";
import type { Session } from "../session";

const key = "stickslip-hint-seen";

/** What to try, shown at the first visit. */
export class Hint {
  private readonly card = byId("hint");

  constructor(session: Session) {
    session.on("hello", (hello) => {
      if (localStorage.getItem(key) || !this.card.hidden) return;
      const hand = hello.hands.find((candidate) => candidate.can_be_taken);
      const tool = hand ? hello.bodies[hand.bodies[0]]?.name ?? "tool" : null;
      this.show(tool);
    });
  }

  close(): void {
    this.card.hidden = true;
    localStorage.setItem(key, "yes");
  }

  private show(tool: string | null): void {
    const got = make("button", { class: "primary" }, "Got it");
    got.onclick = () => this.close();
    const list = make("ul");
    if (tool) {
      list.append(
        make("li", {}, "Drag the ", make("b", {}, tool), " with the mouse, or press ", make("kbd", {}, "G"), " and use the arrow keys: you take over from the operator."),
        make("li", {}, "Push, slide and pull it: the red arrow is the force in your hand. ", make("kbd", {}, "S"), " lets you hear the force."));
    }
    list.append(
      make("li", {}, "Press ", make("kbd", {}, "K"), " while things touch, to compare contact methods on that very frame."),
      make("li", {}, make("kbd", {}, "?"), " shows all keys."));
    this.card.replaceChildren(make("h2", {}, tool ? "Take it in your hand" : "Have a look around"), list, got);
    this.card.hidden = false;
  }
}

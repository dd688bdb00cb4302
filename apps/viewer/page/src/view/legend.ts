import { byId, make, setText } from "../dom";
import { quantity } from "../numbers";
import type { Session } from "../session";
import type { Bodies } from "./bodies";
import { cssColour } from "./colour_map";
import type { Contacts } from "./contacts";

const fields = [null, ["Displacement", "m"], ["Stress (von Mises)", "Pa"], ["Contact pressure", "Pa"]] as const;

/** What the colours mean, in the corner of the view. */
export class Legend {
  private readonly card = byId("legend");
  private readonly title = make("b");
  private readonly scale = make("canvas", { width: "256", height: "1" });
  private readonly top = make("span");
  private readonly field: HTMLElement;
  private readonly arrow = make("span", { class: "muted" });

  constructor(session: Session, bodies: Bodies, contacts: Contacts, private readonly areContactsShown: () => boolean) {
    const pen = this.scale.getContext("2d")!;
    for (let x = 0; x < 256; ++x) {
      pen.fillStyle = cssColour(x / 255);
      pen.fillRect(x, 0, 1, 1);
    }
    this.field = make("div", {}, this.title, this.scale, make("div", { class: "ends" }, make("span", {}, "0"), this.top));
    this.keys = make("div", { class: "keys" }, make("span", { class: "stick" }, "sticks"), make("span", { class: "slip" }, "slips"));
    this.card.append(this.field, this.keys, this.arrow);
    session.on("draw", (frame) => this.update(frame.field, bodies.scale.top, contacts.scale.top));
  }

  private readonly keys: HTMLElement;

  private update(field: number, scaleTop: number, arrowTop: number): void {
    const known = fields[field];
    const hasField = known !== null && known !== undefined;
    const hasForces = this.areContactsShown() && arrowTop > 0;
    this.card.hidden = !hasField && !hasForces;
    this.field.hidden = !hasField;
    this.keys.hidden = this.arrow.hidden = !hasForces;
    if (hasField) {
      setText(this.title, known[0]);
      setText(this.top, quantity(scaleTop, known[1]));
    }
    if (hasForces) setText(this.arrow, `longest arrow ${quantity(arrowTop, "N")}, in its friction cone`);
  }
}

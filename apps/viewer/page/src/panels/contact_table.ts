import { make } from "../dom";
import { quantity } from "../numbers";
import { contactAt, contactState, contactWidth } from "../protocol";
import { normalForce } from "../records";
import type { Session } from "../session";
import { Panel, type Refreshing } from "./panel";

const shown = 12;
const leastGap = 1e-9;

/** The contacts with the largest forces, one a row. */
export class ContactTable implements Refreshing {
  readonly panel: Panel;
  private readonly rows = make("tbody");

  constructor(sheet: HTMLElement, private readonly session: Session) {
    this.panel = new Panel(sheet, "contact-table", "Largest forces");
    const head = make("tr", {}, ...["bodies", "normal", "friction", "of limit", "gap", ""].map((name) => make("th", {}, name)));
    this.panel.body.append(make("table", { class: "rows" }, make("thead", {}, head), this.rows));
  }

  refresh(): void {
    const { frame, hello } = this.session;
    if (!frame || !hello) return;
    const loaded: { at: number; normal: number }[] = [];
    for (let c = 0; c < frame.contactCount; ++c) {
      const at = c * contactWidth;
      if (frame.contacts[at + contactAt.state] !== contactState.idle) loaded.push({ at, normal: normalForce(frame, at) });
    }
    loaded.sort((a, b) => b.normal - a.normal);
    this.panel.value = loaded.length > shown ? `${shown} of ${loaded.length}` : "";
    this.rows.replaceChildren(...loaded.slice(0, shown).map(({ at, normal }) => {
      const c = frame.contacts;
      const force = Math.hypot(c[at + contactAt.force], c[at + contactAt.force + 1], c[at + contactAt.force + 2]);
      const friction = Math.sqrt(Math.max(0, force * force - normal * normal));
      const limit = c[at + contactAt.mu] * normal;
      const sticks = c[at + contactAt.state] === contactState.sticks;
      const bodies = `${hello.bodies[c[at + contactAt.body1]]?.name}, ${hello.bodies[c[at + contactAt.body2]]?.name}`;
      return make("tr", {},
        make("td", {}, bodies), make("td", {}, quantity(normal, "N")), make("td", {}, quantity(friction, "N")),
        make("td", {}, limit > 0 ? `${Math.round((100 * friction) / limit)} %` : "–"),
        make("td", {}, Math.abs(c[at + contactAt.gap]) < leastGap ? "0" : quantity(c[at + contactAt.gap], "m")),
        make("td", { class: sticks ? "stick" : "slip" }, sticks ? "sticks" : "slips"));
    }));
  }
}

import { notice } from "../controls/notices";
import { byId, download, make, setPressed } from "../dom";
import { type Field, fields } from "../protocol";
import type { Session } from "../session";
import type { Bodies } from "./bodies";
import type { Contacts } from "./contacts";
import type { Framing } from "./framing";
import type { Stage } from "./stage";

const labels: Record<Field, string> = {
  none: "bodies", displacement: "displacement", stress: "stress", pressure: "contact pressure",
};

/** The toolbar over the view: what is coloured, what is drawn, fit, picture. */
export class ViewTools {
  areContactsShown = true;
  private isWireframe = false;
  private isColouringChosen = false;
  private readonly colouring = byId<HTMLSelectElement>("colouring");

  constructor(private readonly session: Session, private readonly stage: Stage, private readonly bodies: Bodies,
              private readonly contacts: Contacts, framing: Framing) {
    for (const field of fields) this.colouring.append(make("option", { value: field }, labels[field]));
    this.colouring.onchange = () => this.choose(this.colouring.value as Field);
    byId("contacts").onclick = () => this.toggleContacts();
    byId("wireframe").onclick = () => this.toggleWireframe();
    byId("fit").onclick = () => framing.fit();
    byId("shot").onclick = () => void this.savePicture();
    session.on("hello", (hello) => {
      // stress, where there is any, until somebody wants something else
      if (!this.isColouringChosen) this.colouring.value = hello.bodies.some((body) => body.has_stress) ? "stress" : "none";
      this.colour(this.colouring.value as Field);
    });
  }

  nextColouring(): void {
    this.choose(fields[(fields.indexOf(this.colouring.value as Field) + 1) % fields.length]);
  }

  toggleContacts(): void {
    this.areContactsShown = !this.areContactsShown;
    this.contacts.visible = this.areContactsShown;
    this.stage.touch();
    setPressed(byId("contacts"), this.areContactsShown);
  }

  toggleWireframe(): void {
    this.isWireframe = !this.isWireframe;
    this.bodies.wireframe = this.isWireframe;
    this.stage.touch();
    setPressed(byId("wireframe"), this.isWireframe);
  }

  async savePicture(): Promise<void> {
    const name = `stickslip-${this.session.hello?.scene.name ?? "view"}-${(this.session.frame?.time_s ?? 0).toFixed(3)}s.png`;
    download(name, await this.stage.picture());
    notice(`Saved ${name}`);
  }

  private choose(field: Field): void {
    this.isColouringChosen = true;
    this.colour(field);
  }

  private colour(field: Field): void {
    this.colouring.value = field;
    this.bodies.scale.forget();
    this.session.send({ type: "show", field });
  }
}

import { notice } from "../controls/notices";
import { byId, download, make, setPressed } from "../dom";
import { type Field, fields } from "../protocol";
import type { Session } from "../session";
import type { Bodies } from "./bodies";
import type { Contacts } from "./contacts";
import type { Stage } from "./stage";

const labels: Record<Field, string> = {
  none: "bodies", displacement: "displacement", stress: "stress", pressure: "contact pressure",
};

/** The toolbar over the view: what is coloured, what is drawn, fit, picture. */
export class ViewTools {
  areContactsShown = true;
  private isWireframe = false;
  private readonly colouring = byId<HTMLSelectElement>("colouring");

  constructor(private readonly session: Session, private readonly stage: Stage, private readonly bodies: Bodies,
              private readonly contacts: Contacts) {
    for (const field of fields) this.colouring.append(make("option", { value: field }, labels[field]));
    this.colouring.onchange = () => this.colour(this.colouring.value as Field);
    byId("contacts").onclick = () => this.toggleContacts();
    byId("wireframe").onclick = () => this.toggleWireframe();
    byId("fit").onclick = () => stage.fit();
    byId("shot").onclick = () => void this.savePicture();
    session.on("hello", () => session.send({ type: "show", field: this.colouring.value as Field }));
  }

  nextColouring(): void {
    this.colour(fields[(fields.indexOf(this.colouring.value as Field) + 1) % fields.length]);
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

  private colour(field: Field): void {
    this.colouring.value = field;
    this.bodies.scale.forget();
    this.session.send({ type: "show", field });
  }
}

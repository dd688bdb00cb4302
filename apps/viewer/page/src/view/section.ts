import { Plane, Vector3 } from "three";
import { byId, make, setPressed } from "../dom";
import type { Bodies } from "./bodies";
import type { Stage } from "./stage";

/** A plane that cuts the bodies open, across one axis at a place to choose. */
export class Section {
  private readonly plane = new Plane(new Vector3(0, 0, -1), 0);
  private readonly axis = make("select", { "aria-label": "Axis of the section" });
  private readonly place = make("input", { type: "range", min: "-1", max: "1", step: "0.005", "aria-label": "Place of the section" });
  private readonly flip = make("button", {}, "Other side");
  private side = -1;

  /** `clip` is the list that all bodies share. */
  constructor(private readonly stage: Stage, private readonly bodies: Bodies, private readonly clip: Plane[]) {
    for (const name of ["x", "y", "z"]) this.axis.append(make("option", { value: name }, `across ${name}`));
    this.axis.value = "z";
    this.place.value = "0";
    byId("section-tools").append(this.axis, this.place, this.flip);
    this.axis.onchange = this.place.oninput = () => this.update();
    this.flip.onclick = () => {
      this.side = -this.side;
      this.update();
    };
    byId("section").onclick = () => this.toggle();
  }

  toggle(): void {
    const isOn = this.clip.length === 0;
    this.clip.length = 0;
    if (isOn) this.clip.push(this.plane);
    byId("section-tools").hidden = !isOn;
    setPressed(byId("section"), isOn);
    this.bodies.showCuts(isOn);
    this.update();
  }

  update(): void {
    const { center, radius } = this.stage.extent;
    const axis = ["x", "y", "z"].indexOf(this.axis.value);
    this.plane.normal.set(0, 0, 0).setComponent(axis, this.side);
    this.plane.constant = -this.side * (center.getComponent(axis) + Number(this.place.value) * radius);
    this.stage.touch();
  }
}

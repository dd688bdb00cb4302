import "uplot/dist/uPlot.min.css";
import "./style/theme.css";
import "./style/layout.css";
import "./style/controls.css";
import "./style/view.css";
import "./style/panels.css";
import type { Plane } from "three";
import { bindings } from "./bindings";
import { Again } from "./controls/again";
import { ComparisonPanel } from "./controls/comparison";
import { Help } from "./controls/help";
import { Hint } from "./controls/hint";
import { listenToKeys } from "./controls/keys";
import { Recordings } from "./controls/recordings";
import { Settings } from "./controls/settings";
import { Status } from "./controls/status";
import { Tabs } from "./controls/tabs";
import { Theme } from "./controls/theme";
import { Transport } from "./controls/transport";
import { byId } from "./dom";
import { ForceArrow } from "./hand/arrow";
import { HandControl } from "./hand/hand_control";
import { HandKeys } from "./hand/hand_keys";
import { Pointer } from "./hand/pointer";
import { ForceSound } from "./hand/sound";
import { makePanels } from "./panels/sheets";
import { Records } from "./records";
import { Session } from "./session";
import { Bodies } from "./view/bodies";
import { Contacts } from "./view/contacts";
import { Framing } from "./view/framing";
import { Hands } from "./view/hands";
import { Legend } from "./view/legend";
import { Readout } from "./view/readout";
import { Section } from "./view/section";
import { Stage } from "./view/stage";
import { ViewTools } from "./view/view_tools";

const session = new Session();
const records = new Records(session);

const clip: Plane[] = [];
const stage = new Stage(byId<HTMLCanvasElement>("canvas"));
const bodies = new Bodies(stage, clip);
const contacts = new Contacts(stage, (body) => session.hello?.bodies[body]?.kind === "fixed");
const hands = new Hands(stage);
const section = new Section(stage, bodies, clip);
const framing = new Framing(session, stage, bodies);
const tools = new ViewTools(session, stage, bodies, contacts, framing);

session.on("hello", () => {
  bodies.begin();
  contacts.forget();
  hands.begin();
  section.update();
});
session.on("mesh", (mesh) => bodies.add(mesh, session.hello!));
session.on("draw", (frame) => {
  bodies.update(frame);
  framing.update(session.hello!, frame);
  contacts.update(frame);
  hands.update(frame, session.hello!.hands);
  stage.touch();
});

new Legend(session, bodies, contacts, () => tools.areContactsShown);
new Readout(session);

const hand = new HandControl(session);
const pointer = new Pointer(byId("view"), session, stage, bodies, hand);
const handKeys = new HandKeys(session, stage, hand);
const arrow = new ForceArrow(byId<HTMLCanvasElement>("cursor"), session, stage, pointer);
const sound = new ForceSound(session);

const tabs = new Tabs();
const panels = makePanels(session, records);
const transport = new Transport(session);
const comparison = new ComparisonPanel(session, stage);
const recordings = new Recordings(session);
const help = new Help();
const hint = new Hint(session);
new Again(session, transport);
new Settings(session);
new Status(session);
const theme = new Theme(() => {
  stage.retint();
  bodies.retint();
  panels.retint();
});

const all = bindings({ transport, hand, handKeys, sound, stage, framing, section, tools, theme, tabs, comparison, recordings, help, hint });
help.fill(all);
listenToKeys(all);

// for those who look at the page from the browser's console, and for its tests
Object.assign(window, { stickslip: { session, records, stage } });

function draw(now: number): void {
  requestAnimationFrame(draw);
  session.drawNewest();
  handKeys.move(now);
  hand.tell();
  stage.render();
  arrow.draw();
  panels.refresh(now);
}
requestAnimationFrame(draw);

import type { ComparisonPanel } from "./controls/comparison";
import type { Help } from "./controls/help";
import type { Hint } from "./controls/hint";
import type { Binding } from "./controls/keys";
import type { Recordings } from "./controls/recordings";
import type { Tabs } from "./controls/tabs";
import type { Theme } from "./controls/theme";
import type { Transport } from "./controls/transport";
import type { HandControl } from "./hand/hand_control";
import type { HandKeys } from "./hand/hand_keys";
import type { ForceSound } from "./hand/sound";
import type { Framing } from "./view/framing";
import type { Section } from "./view/section";
import type { Stage } from "./view/stage";
import type { ViewTools } from "./view/view_tools";

interface Parts {
  transport: Transport;
  hand: HandControl;
  handKeys: HandKeys;
  sound: ForceSound;
  stage: Stage;
  framing: Framing;
  section: Section;
  tools: ViewTools;
  theme: Theme;
  tabs: Tabs;
  comparison: ComparisonPanel;
  recordings: Recordings;
  help: Help;
  hint: Hint;
}

/** Every key of the page, in the order of the help panel. */
export function bindings(p: Parts): Binding[] {
  const all: Binding[] = [];
  const bind = (group: string, keys: string[], shown: string, what: string, run: (event: KeyboardEvent) => void) =>
    all.push({ group, keys, shown, what, run });
  const arrows = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

  bind("Hand", ["g"], "G", "grab or release the tool", () => p.hand.toggle());
  bind("Hand", arrows, "← / → / ↑ / ↓", "move the tool; the camera, where none is held", (event) => p.handKeys.press(event));
  bind("Hand", ["PageUp", "PageDown"], "Page ↑ / Page ↓", "away from you, towards you", (event) => p.handKeys.press(event));
  bind("Hand", arrows.map((key) => `shift+${key}`), "Shift + arrows", "turn the tool", (event) => p.handKeys.press(event));
  bind("Hand", ["h"], "H", "the other hand", () => p.hand.next());
  bind("Hand", ["s"], "S", "hear the force", () => p.sound.toggle());

  bind("Time", [" "], "Space", "pause, go on", () => p.transport.pause());
  bind("Time", ["."], ".", "one step", () => p.transport.step());
  bind("Time", ["r"], "R", "back to the start, the operator at work", () => p.transport.reset());
  bind("Time", ["["], "[", "slower", () => p.transport.changeSpeed(-1));
  bind("Time", ["]"], "]", "faster", () => p.transport.changeSpeed(1));
  bind("Time", ["o"], "O", "start or stop a recording", () => p.recordings.toggle());
  bind("Time", ["k"], "K", "compare methods on this frame", () => p.comparison.ask());

  bind("View", ["f"], "F", "fit, and follow what moves", () => p.framing.fit());
  bind("View", ["+", "="], "+", "nearer", () => p.stage.zoom(0.9));
  bind("View", ["-"], "−", "farther", () => p.stage.zoom(1.1));
  bind("View", ["d"], "D", "next colouring", () => p.tools.nextColouring());
  bind("View", ["c"], "C", "contact forces and cones", () => p.tools.toggleContacts());
  bind("View", ["w"], "W", "lines of the mesh", () => p.tools.toggleWireframe());
  bind("View", ["x"], "X", "section plane", () => p.section.toggle());
  bind("View", ["p"], "P", "save a picture", () => void p.tools.savePicture());

  bind("Page", ["1", "2", "3", "4", "5"], "1 … 5", "sheets at the side", (event) => p.tabs.show(Number(event.key) - 1));
  bind("Page", ["t"], "T", "light or dark", () => p.theme.toggle());
  bind("Page", ["?"], "?", "this help", () => p.help.toggle());
  bind("Page", ["Escape"], "Esc", "close what is open; release the tool", () => {
    p.hint.close();
    if (!p.comparison.close()) p.hand.release();
  });
  return all;
}

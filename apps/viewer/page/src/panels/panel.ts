import { make, setText, themeColour } from "../dom";

export interface Key {
  label: string;
  colour: string;
}

/** One titled piece of a sheet: keys of its colours, a value, and a picture below. */
export class Panel {
  readonly node: HTMLElement;
  readonly body = make("div", { class: "plot" });
  private readonly titleNode = make("h3");
  private readonly valueNode = make("span", { class: "value" });
  private readonly keysNode = make("span", { class: "keys" });
  private readonly keys = new Map<string, HTMLElement>();
  private readonly swatches: [HTMLElement, string][] = [];

  constructor(sheet: HTMLElement, id: string, title: string, keys: Key[] = []) {
    setText(this.titleNode, title);
    for (const { label, colour } of keys) {
      const swatch = make("i");
      this.swatches.push([swatch, colour]);
      const key = make("span", {}, swatch, label);
      this.keys.set(label, key);
      this.keysNode.append(key);
    }
    this.node = make("section", { class: "panel", id: `panel-${id}` },
      make("header", {}, this.titleNode, this.keysNode, this.valueNode), this.body);
    sheet.append(this.node);
    this.retint();
  }

  set title(text: string) {
    setText(this.titleNode, text);
  }

  set areKeysShown(areShown: boolean) {
    this.keysNode.hidden = !areShown;
  }

  showKey(label: string, isShown: boolean): void {
    const key = this.keys.get(label);
    if (key) key.hidden = !isShown;
  }

  set value(text: string) {
    setText(this.valueNode, text);
  }

  get isVisible(): boolean {
    return this.node.offsetParent !== null;
  }

  retint(): void {
    for (const [swatch, colour] of this.swatches) swatch.style.background = themeColour(colour);
  }
}

/** What a sheet is made of: drawn again a few times a second while it can be seen. */
export interface Refreshing {
  readonly panel: Panel;
  /** Whether there is anything to show in this scene; always, where it does not say. */
  isWanted?(): boolean;
  refresh(): void;
  retint?(): void;
}

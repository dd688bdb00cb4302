/** The element of the page with this id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

type Content = Node | string;

/** A new element with a class, attributes and content. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string> = {}, ...content: Content[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...content);
  return node;
}

/** Writes text only where it changed: layout is not touched otherwise. */
export function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function setPressed(button: HTMLElement, isPressed: boolean): void {
  button.setAttribute("aria-pressed", String(isPressed));
}

const colours = new Map<string, string>();

/** A colour of the theme, as `--name` of the style sheet. */
export function themeColour(name: string): string {
  let colour = colours.get(name);
  if (colour === undefined) {
    colour = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colours.set(name, colour);
  }
  return colour;
}

/** Colours are looked up anew: the theme has changed. */
export function forgetColours(): void {
  colours.clear();
}

/** Hands a file to the browser's downloads. */
export function download(name: string, data: Blob): void {
  const link = make("a", { download: name });
  link.href = URL.createObjectURL(data);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

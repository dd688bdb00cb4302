export interface Binding {
  /** Values of KeyboardEvent.key, letters in lower case; "shift+" before it where Shift must be down. */
  keys: string[];
  shown: string;
  what: string;
  group: string;
  run(event: KeyboardEvent): void;
}

/** Keys of the whole page; fields that are typed or dragged in keep theirs. */
export function listenToKeys(bindings: Binding[]): void {
  const table = new Map(bindings.flatMap((binding) => binding.keys.map((key) => [key, binding] as const)));
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const binding = (event.shiftKey ? table.get(`shift+${key}`) : undefined) ?? table.get(key);
    if (!binding) return;
    event.preventDefault();
    binding.run(event);
  });
  // what was clicked or chosen by the mouse gives the keys back to the page
  document.addEventListener("click", (event) => {
    if (event.detail > 0 && event.target instanceof Element) event.target.closest("button")?.blur();
  });
  document.addEventListener("change", (event) => {
    if (event.target instanceof HTMLSelectElement) event.target.blur();
  });
}

function takesKeys(event: KeyboardEvent): boolean {
  const at = event.target as HTMLElement;
  if (document.querySelector("dialog[open]")) return event.key !== "?";
  if (at instanceof HTMLSelectElement) return event.key !== "Escape";
  if (at instanceof HTMLInputElement) return event.key.startsWith("Arrow") || event.key.startsWith("Page");
  return at instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter");
}

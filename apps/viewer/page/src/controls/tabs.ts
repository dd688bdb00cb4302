/** Tabs of the side: click, number keys, or arrows between them. */
export class Tabs {
  private readonly tabs = [...document.querySelectorAll<HTMLButtonElement>("[role=tab]")];

  constructor() {
    this.tabs.forEach((tab, k) => {
      tab.onclick = () => this.show(k);
      tab.onkeydown = (event) => {
        const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (by === 0) return;
        event.stopPropagation();
        const next = (k + by + this.tabs.length) % this.tabs.length;
        this.show(next);
        this.tabs[next].focus();
      };
    });
    this.show(0);
  }

  show(index: number): void {
    this.tabs.forEach((tab, k) => {
      const isShown = k === index;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")!)!.hidden = !isShown;
    });
  }
}

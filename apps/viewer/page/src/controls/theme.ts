import { byId, forgetColours } from "../dom";

const key = "stickslip-theme";

/** Light or dark: as the system says, until the person chooses. */
export class Theme {
  private readonly system = matchMedia("(prefers-color-scheme: dark)");

  constructor(private readonly onChange: () => void) {
    this.system.onchange = () => this.apply();
    byId("theme").onclick = () => this.toggle();
    this.apply();
  }

  toggle(): void {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem(key, next);
    this.apply();
  }

  private apply(): void {
    const chosen = localStorage.getItem(key) ?? (this.system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = chosen;
    forgetColours();
    this.onChange();
  }
}

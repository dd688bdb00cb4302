import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";

const page = fileURLToPath(new URL("../../apps/viewer/page/package.json", import.meta.url));
const puppeteer = createRequire(page)("puppeteer-core");

export const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

/** A headless Chromium that draws by software; it leaves the engine its share of the processor. */
export function openBrowser() {
  setPriority(5);
  return puppeteer.launch({
    executablePath: chromium,
    headless: true,
    protocolTimeout: 60_000,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--mute-audio"],
  });
}

/** One visitor's page; `troubles` gathers what should not happen. */
export class Visitor {
  static async open(browser, address, { isFirstVisit = false, theme = "light" } = {}) {
    const visitor = new Visitor();
    visitor.troubles = [];
    visitor.page = await browser.newPage();
    visitor.watch(new URL(address).host);
    await visitor.page.setViewport({ width: 1280, height: 720 });
    await visitor.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
    await visitor.page.evaluateOnNewDocument((isFirst) => {
      if (isFirst) localStorage.clear();
      else localStorage.setItem("stickslip-hint-seen", "yes");
    }, isFirstVisit);
    await visitor.page.goto(address);
    await visitor.until("frames come", () => window.stickslip?.session.frame != null);
    return visitor;
  }

  /** Waits until the page says so; `condition` runs in the page. */
  async until(what, condition, ...values) {
    try {
      await this.page.waitForFunction(condition, { timeout: 30_000, polling: 50 }, ...values);
    } catch (error) {
      throw new Error(`waited for nothing: ${what} (${error.message})`);
    }
  }

  /** A value from the page. */
  ask(question, ...values) {
    return this.page.evaluate(question, ...values);
  }

  press(key) {
    return this.page.keyboard.press(key);
  }

  async click(selector) {
    await this.page.$eval(selector, (node) => node.click());
  }

  watch(host) {
    this.page.on("console", (message) => {
      if (["error", "warn", "warning"].includes(message.type())) this.troubles.push(`console: ${message.text()}`);
    });
    this.page.on("pageerror", (error) => this.troubles.push(`error: ${error.message}`));
    this.page.on("request", (request) => {
      const { protocol, host: asked } = new URL(request.url());
      const isInside = ["data:", "blob:"].includes(protocol) || asked === host;
      if (!isInside) this.troubles.push(`outside request: ${request.url()}`);
    });
  }
}

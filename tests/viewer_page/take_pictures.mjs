// Takes the pictures of the documentation from a run: node take_pictures.mjs STICKSLIP SCENES FOLDER
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openBrowser, Visitor } from "./browser.mjs";
import { Engine } from "./engine.mjs";

const [program, scenes, folder] = process.argv.slice(2).map((path) => resolve(path));
mkdirSync(folder, { recursive: true });
const recordings = join(tmpdir(), `stickslip-pictures-${process.pid}`);
const engine = await Engine.start(program, join(scenes, "snap_in.toml"), ["--port", "0", "--recordings", recordings]);
const browser = await openBrowser();
const visitor = await Visitor.open(browser, engine.address);

/** Lets the scene run, slowly, up to this time [s], and pauses it. */
async function runUntil(time, speed) {
  await visitor.ask((s) => window.stickslip.session.send({ type: "speed", speed: s }), speed);
  await visitor.ask(() => window.stickslip.session.send({ type: "run" }));
  await visitor.page.waitForFunction((t) => window.stickslip.session.frame?.time_s >= t, { timeout: 60_000, polling: 20 }, time);
  await visitor.ask(() => window.stickslip.session.send({ type: "pause" }));
  await visitor.until("pause", () => !window.stickslip.session.runs);
  await new Promise((done) => setTimeout(done, 1200));
}

async function take(name) {
  await visitor.page.screenshot({ path: join(folder, `viewer_${name}.png`) });
}

await visitor.ask(() => window.stickslip.session.send({ type: "reset" }));
await visitor.until("a new start", () => window.stickslip.session.frame?.time_s < 0.5);
await visitor.page.select("#colouring", "stress");
await visitor.ask(() => window.stickslip.stage.zoom(0.8));

await runUntil(1.15, 0.5);
await take("reach");
await runUntil(1.78, 0.2);
await take("push");
await visitor.press("k");
await visitor.until("the table", () => !document.querySelector("#comparison").hidden);
await visitor.press("2");
await new Promise((done) => setTimeout(done, 1500));
await take("comparison");
await visitor.press("Escape");
await visitor.press("1");
await runUntil(2.6, 0.5);
await take("seated");

await browser.close();
await engine.stop();

// Takes the pictures of the documentation from a run: node take_pictures.mjs STICKSLIP SCENES FOLDER
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openBrowser, Visitor } from "./browser.mjs";
import { Engine } from "./engine.mjs";

const [program, scenes, folder] = process.argv.slice(2).map((path) => resolve(path));
mkdirSync(folder, { recursive: true });
const recordings = join(tmpdir(), `stickslip-pictures-${process.pid}`);
const engine = await Engine.start(program, join(scenes, "snap_in.toml"), ["--port", "0", "--paused", "--recordings", recordings]);
const browser = await openBrowser();
const visitor = await Visitor.open(browser, engine.address);

let step = 0;

/** Goes on to this step, as fast as it can, and lets the page draw it. */
async function goTo(wanted) {
  await visitor.ask((count) => window.stickslip.session.send({ type: "step", count }), wanted - step);
  await visitor.until(`step ${wanted}`, (number) => window.stickslip.session.frame?.step === number, wanted);
  step = wanted;
  await new Promise((done) => setTimeout(done, 800));
}

async function take(name) {
  await visitor.page.screenshot({ path: join(folder, `viewer_${name}.png`) });
}

await visitor.ask(() => window.stickslip.stage.zoom(0.87));

await goTo(400);
await take("reach");
await goTo(590);
await take("push");
await visitor.press("2");
await visitor.ask(() => window.stickslip.stage.zoom(1.3));
await goTo(600);
await visitor.press("k");
await visitor.until("the table", () => document.querySelectorAll("#comparison [data-method]").length === 9);
await new Promise((done) => setTimeout(done, 800));
await take("comparison");
await visitor.press("Escape");
await visitor.press("1");
await visitor.ask(() => window.stickslip.stage.zoom(1 / 1.3));
await goTo(900);
await take("seated");

await browser.close();
await engine.stop();

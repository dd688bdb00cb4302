// The viewer's page in a real browser: node viewer_page_test.mjs STICKSLIP SCENES OUT
// STICKSLIP is the program, SCENES the folder of the scenes, OUT where pictures and recordings go.
import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { chromium, openBrowser, Visitor } from "./browser.mjs";
import { Engine } from "./engine.mjs";
import { Pictures } from "./pictures.mjs";

const [program, scenes, out] = process.argv.slice(2).map((path) => resolve(path));
const token = "thePageFindsItsServerAgain";
const skipped = 77;
if (!chromium) {
  console.log("skipped: there is no chromium on this machine (apt-get install chromium)");
  process.exit(skipped);
}

let engine;
let browser;
let visitor;
let pictures;

before(async () => {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  engine = await startEngine("0");
  browser = await openBrowser();
  pictures = await Pictures.begin(browser, out);
});

after(async () => {
  await browser?.close();
  await engine?.stop();
});

function startEngine(port) {
  const options = ["--port", port, "--recordings", join(out, "recordings")];
  return Engine.start(program, join(scenes, "snap_in.toml"), options, token);
}

/** Newest frame: time, step, whether it runs, the clip's height, force in the hand. */
function newest() {
  return visitor.ask(() => {
    const { session, records } = window.stickslip;
    const { frame } = session;
    const last = records.steps.count - 1;
    return {
      time: frame.time_s,
      step: frame.step,
      runs: session.runs,
      scene: session.hello.scene.number,
      height: frame.poses[7 + 1],
      force: Math.hypot(...frame.hands.subarray(21, 24)),
      holds: session.isHolding,
      contactForce: last < 0 ? 0 : records.steps.at(18, last),
      mu: frame.contactCount > 0 ? frame.contacts[9] : null,
    };
  });
}

async function pause() {
  if ((await newest()).runs) await visitor.press("Space");
  await visitor.until("pause", () => !window.stickslip.session.runs);
}

async function goOn() {
  if (!(await newest()).runs) await visitor.press("Space");
  await visitor.until("time goes on", () => window.stickslip.session.runs);
}

/** From a new start, as many steps as the operator takes to press the clip onto the pipe; then pauses. */
async function press() {
  await pause();
  await reset();
  await visitor.ask(() => window.stickslip.session.send({ type: "step", count: 590 }));
  await visitor.until("590 steps", () => window.stickslip.session.frame?.step === 590);
  const { contactForce } = await newest();
  assert.ok(contactForce > 1, `contacts carry ${contactForce} N`);
}

async function reset() {
  const { scene } = await newest();
  await visitor.press("r");
  await visitor.until("a new start", (number) => {
    const { session } = window.stickslip;
    return session.hello.scene.number > number && session.frame !== null && session.frame.time_s < 1;
  }, scene);
}

test("the page loads with no console error or outside request, and shows a hint once", async () => {
  await new Promise((done) => setTimeout(done, 500));
  visitor = await Visitor.open(browser, engine.address, { isFirstVisit: true });
  await visitor.until("steps", () => window.stickslip.records.steps.count > 0);
  const first = await visitor.ask(() => window.stickslip.records.steps.at(0, 0));
  assert.ok(first < 0.01, `the operator had begun: the first step seen ends at ${first} s`);
  assert.equal(await visitor.ask(() => document.querySelector("#colouring").value), "stress");
  assert.match(await visitor.ask(() => document.querySelector("#hint").innerText), /clip/);
  await visitor.click("#hint button");
  assert.equal(await visitor.ask(() => document.querySelector("#hint").hidden), true);
  await visitor.until("it is live", () => document.querySelector("#status").textContent === "Live");
  assert.deepEqual(visitor.troubles, []);
});

test("the clip moves", async () => {
  await reset();
  const { height } = await newest();
  await visitor.until("the clip sinks by 5 mm", (start) => window.stickslip.session.frame.poses[8] < start - 0.005, height);
  const view = await pictures.take(visitor, "#view", "view_moving");
  assert.ok(view.colours > 60 && view.spread > 10, `the view is blank: ${JSON.stringify(view)}`);
});

test("pause holds the time, a step advances it by one", async () => {
  await pause();
  const before = await newest();
  await new Promise((done) => setTimeout(done, 300));
  assert.equal((await newest()).time, before.time);
  await visitor.click("#step");
  await visitor.until("one step", (step) => window.stickslip.session.frame.step === step + 1, before.step);
  assert.ok(Math.abs((await newest()).time - before.time - 0.003) < 1e-9);
});

test("reset begins anew", async () => {
  await goOn();
  await reset();
  assert.ok((await newest()).time < 1);
});

test("quick keys change the speed one by one", async () => {
  for (const [key, speed] of [["[", 0.05], ["]", 1]]) {
    for (let k = 0; k < 4; ++k) await visitor.press(key);
    assert.equal(await visitor.ask(() => document.querySelector("#speed").value), String(speed));
    await visitor.until(`speed ${speed}`, (wanted) => Math.abs(window.stickslip.session.frame.speed - wanted) < 1e-3, speed);
  }
});

/** Keeps the poses that the page asks of the hand in window.asked. */
function noteWhatIsAsked() {
  return visitor.ask(() => {
    const { session } = window.stickslip;
    const send = session.send.bind(session);
    window.asked = [];
    session.send = (message) => {
      if (message.type === "hand") window.asked.push(message);
      send(message);
    };
  });
}

/** While dragging: the wheel moves the hand along the line of sight, Shift turns it where it is. */
async function turnAndPush(spot) {
  const { mouse, keyboard } = visitor.page;
  const count = await visitor.ask(() => window.asked.length);
  await mouse.wheel({ deltaY: 100 });
  await visitor.until("the hand is asked elsewhere", (before) => window.asked.length > before, count);
  await keyboard.down("Shift");
  await mouse.move(spot.x + 60, spot.y);
  await keyboard.up("Shift");
  await visitor.until("the hand is asked to turn", () => Math.abs(window.asked.at(-1).orientation[3]) < 0.9999);
  const { alongSight, movedByTurning } = await visitor.ask((before) => {
    const { camera } = window.stickslip.stage;
    const place = (k) => camera.position.clone().fromArray(window.asked[k].position);
    const sight = camera.getWorldDirection(camera.position.clone());
    const pushed = place(before).sub(place(before - 1));
    return { alongSight: Math.abs(pushed.dot(sight)) / pushed.length(), movedByTurning: place(window.asked.length - 1).distanceTo(place(before)) };
  }, count);
  assert.ok(alongSight > 0.9999, `along the line of sight: ${alongSight}`);
  assert.ok(movedByTurning < 1e-9, `turning moves by ${movedByTurning} m`);
}

test("grabbing and dragging produces a contact force that the plot shows", async () => {
  await reset();
  await goOn();
  const spot = await visitor.ask(() => {
    // the centre of mass of the clip, which lies within it, where its ring meets its handle
    const { session, stage } = window.stickslip;
    const at = stage.camera.position.clone().fromArray(session.frame.poses, 7).project(stage.camera);
    const box = document.querySelector("#canvas").getBoundingClientRect();
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
  });
  await noteWhatIsAsked();
  const { mouse } = visitor.page;
  await mouse.move(spot.x, spot.y);
  await mouse.down();
  await visitor.until("it is held", () => window.stickslip.session.isHolding);
  await visitor.until("the button says so", () => document.querySelector("#grab").textContent === "Release");
  let force = 0;
  for (let y = spot.y; y < spot.y + 350 && force < 2;) {
    y += force > 0 ? 2 : 6;
    await mouse.move(spot.x, y);
    await new Promise((done) => setTimeout(done, 40));
    const now = await newest();
    force = Math.min(now.contactForce, now.force);
  }
  assert.ok(force >= 2, `the hand felt ${force} N`);
  // the same force in the plot: its largest value on the axis, and its line in the picture
  await visitor.until("the plot has it", () => {
    const { ticks } = window.stickslip.records;
    const row = ticks.count - 1;
    return Math.hypot(ticks.at(1, row), ticks.at(2, row), ticks.at(3, row)) > 0.9;
  });
  await new Promise((done) => setTimeout(done, 200));
  assert.match(await visitor.ask(() => document.querySelector("#panel-force .value").textContent), /^[1-9].* N$/);
  const arrow = await Pictures.share(visitor, "#cursor", [179, 38, 30]);
  assert.ok(arrow > 1e-4, `no force arrow at the cursor: ${arrow}`);
  await pictures.take(visitor, "#view", "view_dragged");
  await turnAndPush(spot);
  await mouse.up();
});

test("the keyboard moves the held body, G and Esc release it", async () => {
  const before = await newest();
  assert.equal(before.holds, true);
  await visitor.page.keyboard.down("ArrowUp");
  await visitor.until("the clip rises", (start) => window.stickslip.session.frame.poses[8] > start + 0.003, before.height);
  await visitor.page.keyboard.up("ArrowUp");
  await visitor.press("g");
  await visitor.until("it is released", () => !window.stickslip.session.isHolding);
  await visitor.press("g");
  await visitor.until("it is held again", () => window.stickslip.session.isHolding);
  await visitor.press("Escape");
  await visitor.until("it is released", () => !window.stickslip.session.isHolding);
});

test("a slider acts at once, another restarts the scene", async () => {
  await reset();
  await visitor.press("4");
  const notes = await visitor.ask(() => [...document.querySelectorAll(".setting")].map((row) => row.innerText.replace(/\s+/g, " ")));
  assert.ok(notes.some((note) => /stiffness of polyethylene/.test(note) && /restarts the scene/.test(note)), notes.join("; "));
  const { scene } = await newest();
  const slide = (path, place) => visitor.ask((id, to) => {
    const input = document.getElementById(id);
    input.value = to;
    input.dispatchEvent(new Event("input"));
    input.dispatchEvent(new Event("change"));
  }, `setting-${path}`, String(place));
  await slide("contact.friction", 400);
  await visitor.until("friction is 0.6", () => window.stickslip.session.hello.parameters.find((p) => p.path === "contact.friction").value === 0.6);
  assert.equal((await newest()).scene, scene);
  await press();
  const touching = await newest();
  assert.ok(Math.abs(touching.mu - 0.6) < 1e-6, `contacts have mu ${touching.mu}`);
  await slide("material.polyethylene.young", 700);
  await visitor.until("a restart", (number) => window.stickslip.session.hello.scene.number > number && window.stickslip.session.frame, touching.scene);
});

test("every panel shows something", async () => {
  await visitor.until("frames", () => window.stickslip.session.frame !== null);
  await visitor.press("1");
  await press();
  await visitor.press("2");
  await visitor.until("W comes, although time stands still", () => document.querySelector(".delassus").width > 1);
  // what is drawn, and the hues that its lines and areas have at least
  const sheets = [
    ["2", { contacts: 1, delassus: 0 }],
    ["1", { force: 2, torque: 1, "force-displacement": 2, energy: 3 }],
    ["3", { timing: 3, solver: 2 }],
  ];
  for (const [key, panels] of sheets) {
    await visitor.press(key);
    await new Promise((done) => setTimeout(done, 250));
    for (const [panel, hues] of Object.entries(panels)) {
      await pictures.take(visitor, `#panel-${panel}`, `panel_${panel}`);
      const drawn = await pictures.take(visitor, `#panel-${panel} canvas`, `drawn_${panel}`);
      assert.ok(drawn.colours > 4 && drawn.commonest < 0.97 && drawn.spread > 5 && drawn.hues >= hues, `${panel}: ${JSON.stringify(drawn)}`);
    }
  }
  await visitor.press("2");
  const rows = await visitor.ask(() => document.querySelectorAll("#panel-contact-table tbody tr").length);
  assert.ok(rows > 0, "no contacts in their table");
  for (const [key, sheet] of [["4", "settings"], ["5", "recordings"]]) {
    await visitor.press(key);
    const contents = await pictures.take(visitor, `#${sheet}`, `sheet_${sheet}`);
    assert.ok(contents.colours > 8 && contents.spread > 5, `${sheet}: ${JSON.stringify(contents)}`);
  }
});

test("colours by field come with a legend; mesh, section, theme and help answer their keys", async () => {
  await press();
  for (const field of ["pressure", "none", "displacement", "stress"]) {
    await visitor.press("d");
    if (field === "none") continue;
    await visitor.until(field, (name) => document.querySelector("#colouring").value === name &&
      !document.querySelector("#legend").hidden && document.querySelector("#legend canvas").offsetParent !== null, field);
    await pictures.take(visitor, "#view", `view_${field}`);
    const scene = await pictures.takeScene(visitor, `scene_${field}`);
    assert.ok(scene.colours > 60 && scene.hues >= 3, `${field}: ${JSON.stringify(scene)}`);
  }
  await pictures.takeScene(visitor, "scene_plain");
  await visitor.press("w");
  await pictures.takeScene(visitor, "scene_mesh");
  assert.ok(await pictures.changed("scene_plain", "scene_mesh") > 0.003, "no mesh lines");
  await visitor.press("x");
  await pictures.takeScene(visitor, "scene_section");
  assert.ok(await pictures.changed("scene_mesh", "scene_section") > 0.01, "nothing is cut open");
  await visitor.press("c");
  await pictures.takeScene(visitor, "scene_bare");
  assert.ok(await pictures.changed("scene_section", "scene_bare") > 0.001, "contact forces are not drawn");
  await visitor.press("c");
  await visitor.press("p");
  await visitor.until("a picture is saved", () => /Saved stickslip-snap_in.*png/.test(document.querySelector("#notices").textContent));
  await visitor.press("t");
  assert.equal(await visitor.ask(() => document.documentElement.dataset.theme), "dark");
  const dark = await pictures.take(visitor, "body", "page_dark");
  assert.ok(dark.colours > 100);
  for (const key of ["t", "x", "w"]) await visitor.press(key);
  await visitor.page.keyboard.type("?");
  const keys = await visitor.ask(() => document.querySelectorAll("dialog[open] kbd").length);
  assert.ok(keys > 25, `${keys} keys in the help`);
  await pictures.take(visitor, "dialog", "help");
  await visitor.click("dialog button");
});

test("the force can be heard: its changes are in the sound", async () => {
  await visitor.ask(() => {
    const { start } = AudioBufferSourceNode.prototype;
    window.loudest = 0;
    AudioBufferSourceNode.prototype.start = function begin(...when) {
      for (const sample of this.buffer.getChannelData(0)) window.loudest = Math.max(window.loudest, Math.abs(sample));
      start.apply(this, when);
    };
  });
  await visitor.press("s");
  assert.equal(await visitor.ask(() => document.querySelector("#sound").getAttribute("aria-pressed")), "true");
  await press();
  await visitor.until("sound", () => window.loudest > 0.1);
  await visitor.press("s");
  assert.equal(await visitor.ask(() => document.querySelector("#sound").getAttribute("aria-pressed")), "false");
});

/** Once all is over, the page offers to begin anew. */
async function watchToItsEndAndAgain() {
  const { duration_s, dt_s } = await visitor.ask(() => window.stickslip.session.hello.scene);
  for (let left = Math.ceil(duration_s / dt_s); left > 0; left -= 1000) {
    await visitor.ask((count) => window.stickslip.session.send({ type: "step", count }), Math.min(left, 1000));
  }
  await visitor.until("an offer to watch it again", () => !document.querySelector("#again").hidden);
  const { scene } = await newest();
  await visitor.click("#again .primary");
  await visitor.until("it begins anew", (number) => {
    const { session } = window.stickslip;
    return session.hello.scene.number > number && session.runs && document.querySelector("#again").hidden;
  }, scene);
}

/** Where the middle of a body is in the view: from -1 to 1 across and upwards. */
function placeInView(body) {
  return visitor.ask((b) => {
    const { session, stage } = window.stickslip;
    const { x, y } = stage.camera.position.clone().fromArray(session.frame.poses, 7 * b).project(stage.camera);
    return { x, y };
  }, body);
}

/** Fingers lift a ball; the camera goes along, until somebody chooses a view. */
async function followGrasp() {
  await visitor.page.select("#scene", "grasp");
  await visitor.until("it is there", () => window.stickslip.session.hello.scene.name === "grasp" && window.stickslip.session.frame !== null);
  const ball = 1;
  const height = () => visitor.ask((b) => window.stickslip.session.frame.poses[7 * b + 2], ball);
  const before = await height();
  await visitor.until("the ball is lifted", ([b, from]) => window.stickslip.session.frame.poses[7 * b + 2] > from + 0.035, [ball, before]);
  await new Promise((done) => setTimeout(done, 1500));
  const followed = await placeInView(ball);
  assert.ok(Math.abs(followed.x) < 0.8 && Math.abs(followed.y) < 0.8, `the ball is at ${JSON.stringify(followed)}`);
  await pictures.take(visitor, "#view", "view_followed");
  await visitor.press("f");
  const fitted = await placeInView(ball);
  assert.ok(Math.abs(fitted.x) < 0.4 && Math.abs(fitted.y) < 0.4, `after F the ball is at ${JSON.stringify(fitted)}`);
}

test("another scene can be picked", async () => {
  await visitor.page.select("#scene", "incline");
  await visitor.until("it is there", () => window.stickslip.session.hello.scene.name === "incline" && window.stickslip.session.frame !== null);
  await goOn();
  await visitor.until("it runs", () => window.stickslip.session.frame?.time_s > 0.05);
  const view = await pictures.take(visitor, "#view", "view_incline");
  assert.ok(view.colours > 20 && view.spread > 8, JSON.stringify(view));
  // there is no hand, and none is told of
  await visitor.press("1");
  await visitor.until("no plots of a hand", () => document.querySelector("#panel-torque").hidden &&
    document.querySelector("#panel-force-displacement").hidden && !document.querySelector("#panel-force").hidden);
  assert.match(await visitor.ask(() => document.querySelector("#readout").innerText), /normal forces of all contacts/);
  const plot = await pictures.take(visitor, "#panel-force canvas", "drawn_normal_forces");
  assert.ok(plot.colours > 4, `nothing is plotted: ${JSON.stringify(plot)}`);
  await watchToItsEndAndAgain();
  // its block is free to be taken
  const spot = await visitor.ask(() => {
    const { session, stage } = window.stickslip;
    const at = stage.camera.position.clone().fromArray(session.frame.poses, 7).project(stage.camera);
    const box = document.querySelector("#canvas").getBoundingClientRect();
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
  });
  const height = () => visitor.ask(() => window.stickslip.session.frame.poses[9]);
  const before = await height();
  const { mouse } = visitor.page;
  await mouse.move(spot.x, spot.y);
  await mouse.down();
  await visitor.until("it is held", () => window.stickslip.session.isHolding);
  let highest = before;
  for (let k = 1; k <= 60 && highest < before + 0.03; ++k) {
    await mouse.move(spot.x, spot.y - 5 * k);
    await new Promise((done) => setTimeout(done, 40));
    highest = Math.max(highest, await height());
  }
  assert.ok(highest >= before + 0.03, `it rose from ${before} to ${highest} m`);
  assert.match(await visitor.ask(() => document.querySelector("#readout").innerText), /in your hand/);
  assert.equal(await visitor.ask(() => document.querySelector("#panel-torque").hidden), false);
  await mouse.up();
  await visitor.press("g");
  await visitor.until("it is let go", () => !window.stickslip.session.isHolding);
  await followGrasp();
  await visitor.page.select("#scene", "snap_in");
  await visitor.until("and back", () => window.stickslip.session.hello.scene.name === "snap_in" && window.stickslip.session.frame !== null);
});

test("methods are compared on the frozen frame", async () => {
  await press();
  await visitor.press("k");
  await visitor.until("the table", () => document.querySelectorAll("#comparison [data-method]").length === 9);
  const table = await visitor.ask(() => Object.fromEntries([...document.querySelectorAll("#comparison tbody tr")]
    .map((row) => [row.dataset.method, [...row.children].map((cell) => cell.textContent)])));
  assert.deepEqual(Object.keys(table), ["exact", "gauss-seidel", "pyramid-4", "pyramid-8", "pyramid-16",
    "penalty-explicit", "penalty-implicit", "imposed-motion", "explicit-friction"]);
  assert.ok(parseFloat(table.exact[1]) > 0, `exact normal force ${table.exact[1]}`);
  assert.equal(table.exact[1], table["gauss-seidel"][1]);
  assert.notEqual(table.exact[2], table["imposed-motion"][2]);
  assert.equal((await newest()).runs, false);
  const card = await pictures.take(visitor, "#comparison", "comparison");
  assert.ok(card.colours > 12 && card.spread > 8, JSON.stringify(card));
  await visitor.press("Escape");
  assert.equal(await visitor.ask(() => document.querySelector("#comparison").hidden), true);
});

test("a long comparison tells how far it is, and can be given up", async () => {
  await visitor.page.select("#scene", "brick_stack");
  await visitor.until("it is there", () => window.stickslip.session.hello.scene.name === "brick_stack" && window.stickslip.session.frame !== null);
  await pause();
  await visitor.press("k");
  await visitor.until("some methods", () => document.querySelectorAll("#comparison [data-method]").length >= 2 &&
    /Comparing/.test(document.querySelector("#comparison").innerText));
  await pictures.take(visitor, "#comparison", "comparison_going_on");
  await visitor.press("Escape");
  assert.equal(await visitor.ask(() => document.querySelector("#comparison").hidden), true);
  await goOn();
  assert.equal(await visitor.ask(() => document.querySelector("#comparison").hidden), true);
  await visitor.page.select("#scene", "snap_in");
  await visitor.until("and back", () => window.stickslip.session.hello.scene.name === "snap_in" && window.stickslip.session.frame !== null);
});

test("a run is recorded, opened, scrubbed, played, exported and closed", async () => {
  await goOn();
  await visitor.press("5");
  await visitor.press("o");
  await visitor.until("it records", () => window.stickslip.session.recordingBeingWritten !== null);
  const name = await visitor.ask(() => window.stickslip.session.recordingBeingWritten);
  await new Promise((done) => setTimeout(done, 1200));
  await visitor.press("o");
  await visitor.until("it has stopped", () => window.stickslip.session.recordingBeingWritten === null);
  await visitor.until("it is listed", (id) => document.querySelector(`[data-recording="${id}"] button:not(:disabled)`), name);
  await visitor.click(`[data-recording="${name}"] button`);
  await visitor.until("it is open", () => window.stickslip.session.recording !== null && window.stickslip.session.frame !== null);
  const { first, last } = await visitor.ask(() => ({
    first: window.stickslip.session.recording.first_step, last: window.stickslip.session.recording.last_step,
  }));
  assert.ok(last - first > 50, `steps ${first} to ${last}`);
  const shown = () => visitor.ask(() => window.stickslip.records.steps.count);
  for (const step of [last, Math.floor((first + last) / 2), first + 10]) {
    await visitor.ask((to) => {
      const place = document.querySelector("#timeline input");
      place.value = String(to);
      place.dispatchEvent(new Event("input"));
      place.dispatchEvent(new Event("change"));
    }, step);
    await visitor.until(`step ${step} is shown`, (wanted) => window.stickslip.session.frame?.step === wanted, step);
    assert.equal(await shown(), step - first, "what was skipped is in the plots");
  }
  const scrubbed = await pictures.take(visitor, "#view", "view_recording");
  assert.ok(scrubbed.colours > 60);
  await visitor.page.select("#speed", "2");
  await visitor.click("#timeline button");
  await visitor.until("it plays", (from) => window.stickslip.session.frame?.step > from + 40, first + 10);
  await visitor.click(`[data-recording="${name}"] td:last-child button`);
  await visitor.until("the table is saved", (id) => document.querySelector("#notices").textContent.includes(`Saved ${id}.csv`), name);
  const table = await visitor.ask(async (id) => (await fetch(window.stickslip.session.address(`/recordings/${id}.csv`))).text(), name);
  assert.match(table, /^[^\n]*time_s,/);
  assert.ok(table.split("\n").length > 50, `${table.split("\n").length} lines`);
  await visitor.click("#timeline button:last-child");
  await visitor.until("it is closed", () => window.stickslip.session.recording === null && window.stickslip.session.frame !== null);
});

test("a second viewer watches, and gets the controls when the first leaves", async () => {
  await goOn();
  const first = visitor;
  const second = await Visitor.open(browser, engine.address);
  assert.match(await second.ask(() => document.querySelector("#status").textContent), /watching/);
  assert.equal(await second.ask(() => document.querySelector("#pause").disabled), true);
  await second.until("both are counted", () => window.stickslip.session.frame.viewers === 2);
  assert.deepEqual(first.troubles, []);
  await first.page.close();
  visitor = second;
  await second.until("controls", () => window.stickslip.session.hasControls && !document.querySelector("#pause").disabled);
  assert.deepEqual(second.troubles, []);
});

test("the page says when the engine is gone, and comes back with it", async () => {
  await visitor.page.bringToFront();
  const { port } = engine;
  assert.equal(await engine.stop(), 0);
  await visitor.until("it says so", () => document.querySelector("#status").textContent === "No engine" &&
    /engine has stopped/.test(document.querySelector("#notices").textContent));
  await pictures.take(visitor, "body", "page_without_engine");
  engine = await startEngine(port);
  await visitor.until("it is live again", () => document.querySelector("#status").textContent === "Live");
  await visitor.until("the clip moves again", () => window.stickslip.session.frame?.time_s > 0.2);
});

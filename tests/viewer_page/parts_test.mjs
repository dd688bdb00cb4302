// Parts of the page that need no browser: node parts_test.mjs
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const page = fileURLToPath(new URL("../../apps/viewer/page/", import.meta.url));
const { build } = createRequire(join(page, "package.json"))("esbuild");
const folder = mkdtempSync(join(tmpdir(), "stickslip-page-"));
const load = (name) => import(pathToFileURL(join(folder, `${name.split("/").pop()}.js`)).href);

before(async () => {
  const entryPoints = ["view/creases", "view/colour_map", "history", "numbers", "protocol"].map((name) => join(page, "src", `${name}.ts`));
  await build({ entryPoints, outdir: folder, entryNames: "[name]", format: "esm" });
});
after(() => rmSync(folder, { recursive: true, force: true }));

const corners = new Float32Array([0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [i & 1, (i >> 1) & 1, i >> 2]));
const cube = new Uint32Array([
  0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5,
]);

test("a cube has 24 drawn points, 12 creases, 18 lines, and normals along the axes", async () => {
  const { splitAtCreases, updateNormals } = await load("view/creases");
  const surface = splitAtCreases(corners, cube);
  assert.equal(surface.source.length, 24);
  assert.equal(surface.creaseLines.length, 2 * 12);
  assert.equal(surface.meshLines.length, 2 * 18);
  const points = Float32Array.from([...surface.source].flatMap((i) => [...corners.subarray(3 * i, 3 * i + 3)]));
  const normals = new Float32Array(points.length);
  updateNormals(points, surface.triangles, normals);
  for (let i = 0; i < normals.length; i += 3) {
    // each drawn point lies on the face that its normal belongs to, and looks outwards
    const axis = [0, 1, 2].find((a) => Math.abs(normals[i + a]) > 0.999);
    assert.notEqual(axis, undefined);
    assert.equal(points[i + axis], normals[i + axis] > 0 ? 1 : 0);
  }
});

test("a shallow roof stays one smooth surface, a steep one is split along its ridge", async () => {
  const { splitAtCreases } = await load("view/creases");
  const roof = (height) => splitAtCreases(
    new Float32Array([0, 0, height, 1, 0, height, 0.5, -1, 0, 0.5, 1, 0]), new Uint32Array([0, 2, 1, 0, 1, 3]));
  assert.equal(roof(0.1).source.length, 4);
  assert.equal(roof(1).source.length, 6);
});

test("a history keeps the newest rows, and forgets what lies ahead of a time that went back", async () => {
  const { History } = await load("history");
  const history = new History(2, 4);
  for (let k = 0; k < 6; ++k) history.add([k, 10 * k]);
  assert.equal(history.count, 4);
  assert.equal(history.at(0, 0), 2);
  assert.equal(history.rowAt(3.5), 2);
  history.add([3, 7]);
  assert.equal(history.count, 2);
  assert.equal(history.at(1, 1), 7);
});

test("a history shows no more than it is asked to, and keeps the rest", async () => {
  const { History } = await load("history");
  const history = new History(2, 8);
  for (let k = 0; k < 6; ++k) history.add([k, 10 * k]);
  history.until = 2;
  assert.deepEqual([history.count, history.latest], [3, 2]);
  history.until = 4.5;
  assert.deepEqual([history.count, history.latest, history.at(1, 4)], [5, 4, 40]);
  history.until = 9;
  assert.equal(history.count, 6);
  history.clear();
  history.add([7, 1]);
  assert.equal(history.count, 1);
});

test("thinning keeps the peak", async () => {
  const { History, thinned } = await load("history");
  const history = new History(2, 5000);
  for (let k = 0; k < 4000; ++k) history.add([k * 1e-3, k === 1234 ? 9 : Math.sin(k)]);
  const rows = thinned(history, 0, 100, (row) => history.at(1, row));
  assert.ok(rows.length <= 101);
  assert.ok(rows.includes(1234));
});

test("quantities have three digits and a prefix", async () => {
  const { quantity } = await load("numbers");
  assert.equal(quantity(0.00123, "m"), "1.23 mm");
  assert.equal(quantity(-4.5e8, "Pa"), "-450 MPa");
  assert.equal(quantity(0.9999999, "N"), "1.00 N");
  assert.equal(quantity(0, "N"), "0 N");
  assert.equal(quantity(NaN, "N"), "–");
});

test("a frame is laid out as the protocol says", async () => {
  const { decode } = await load("protocol");
  const [bodies, vertices, contacts, hands, ticks, steps] = [2, 3, 1, 1, 2, 1];
  const sections = [7 * bodies, 3 * vertices, vertices, 14 * contacts, 36 * hands, ticks * 11, 19 * steps];
  const words = 28 + sections.reduce((sum, n) => sum + n);
  const data = new ArrayBuffer(4 * words);
  const view = new DataView(data);
  const numbers = new Float32Array(data);
  for (let k = 28; k < words; ++k) numbers[k] = k;
  [2, 5, 17, 1].forEach((word, k) => view.setUint32(4 * k, word, true));
  view.setFloat64(16, 1.25, true);
  [40, bodies, vertices, vertices, contacts, hands, ticks, steps, 2].forEach((word, k) => view.setUint32(40 + 4 * k, word, true));
  const { kind, scene, frame } = decode(data);
  assert.deepEqual([kind, scene, frame.sequence, frame.time_s, frame.step, frame.field], ["frame", 5, 17, 1.25, 40, 2]);
  const starts = [frame.poses, frame.vertices, frame.scalars, frame.contacts, frame.hands, frame.tickRows, frame.stepRows];
  let at = 28;
  starts.forEach((section, k) => {
    assert.equal(section.length, sections[k]);
    assert.equal(section[0], at);
    at += sections[k];
  });
});

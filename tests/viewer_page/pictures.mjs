import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Takes pictures and judges them by their content, in a page of its own. */
export class Pictures {
  static async begin(browser, folder) {
    const pictures = new Pictures();
    pictures.folder = folder;
    pictures.judge = await browser.newPage();
    await pictures.judge.evaluate(() => {
      window.pixelsOf = async (data) => {
        const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
        pen.drawImage(bitmap, 0, 0);
        return pen.getImageData(0, 0, bitmap.width, bitmap.height).data;
      };
    });
    return pictures;
  }

  /** A picture of one element, kept as NAME.png, and what is in it. */
  async take(visitor, selector, name) {
    const node = await visitor.page.$(selector);
    const data = await node.screenshot({ type: "png", encoding: "base64" });
    writeFileSync(join(this.folder, `${name}.png`), Buffer.from(data, "base64"));
    return this.contents(data);
  }

  /** The scene alone, without what lies over it. */
  async takeScene(visitor, name) {
    const data = await visitor.ask(async () => {
      const picture = await window.stickslip.stage.picture();
      return new Promise((done) => {
        const reader = new FileReader();
        reader.onload = () => done(reader.result.split(",")[1]);
        reader.readAsDataURL(picture);
      });
    });
    writeFileSync(join(this.folder, `${name}.png`), Buffer.from(data, "base64"));
    return this.contents(data);
  }

  /** Share of the pixels in which two pictures that were taken differ visibly. */
  changed(one, other) {
    const [a, b] = [one, other].map((name) => readFileSync(join(this.folder, `${name}.png`)).toString("base64"));
    return this.judge.evaluate(async (...both) => {
      const [first, second] = await Promise.all(both.map(window.pixelsOf));
      let count = 0;
      for (let i = 0; i < first.length; i += 4) {
        const off = Math.abs(first[i] - second[i]) + Math.abs(first[i + 1] - second[i + 1]) + Math.abs(first[i + 2] - second[i + 2]);
        if (off > 24) ++count;
      }
      return count / (first.length / 4);
    }, a, b);
  }

  /**
   * Colours (coarsened) there are, how many of twelve hues have more than a few vivid pixels, the share
   * of the commonest colour, and the spread of brightness.
   */
  contents(base64) {
    return this.judge.evaluate(async (data) => {
      const pixels = await window.pixelsOf(data);
      const counts = new Map();
      const hues = new Array(12).fill(0);
      let sum = 0;
      let squares = 0;
      for (let i = 0; i < pixels.length; i += 4) {
        const [r, g, b] = pixels.subarray(i, i + 3);
        const key = ((r >> 4) << 8) | ((g >> 4) << 4) | (b >> 4);
        counts.set(key, (counts.get(key) ?? 0) + 1);
        const [low, high] = [Math.min(r, g, b), Math.max(r, g, b)];
        if (high - low > 70) {
          const turn = high === r ? (g - b) / (high - low) + 6 : high === g ? (b - r) / (high - low) + 2 : (r - g) / (high - low) + 4;
          ++hues[Math.floor(turn * 2) % 12];
        }
        const brightness = 0.3 * r + 0.6 * g + 0.1 * b;
        sum += brightness;
        squares += brightness * brightness;
      }
      const count = pixels.length / 4;
      const mean = sum / count;
      return {
        colours: counts.size,
        hues: hues.filter((pixels) => pixels > 8).length,
        commonest: Math.max(...counts.values()) / count,
        spread: Math.sqrt(Math.max(0, squares / count - mean * mean)),
      };
    }, base64);
  }

  /** Share of pixels of a canvas in the page that are near a colour (r, g, b). */
  static share(visitor, selector, colour) {
    return visitor.ask((what, [r, g, b]) => {
      const canvas = document.querySelector(what);
      const copy = new OffscreenCanvas(canvas.width, canvas.height);
      const pen = copy.getContext("2d");
      pen.drawImage(canvas, 0, 0);
      const pixels = pen.getImageData(0, 0, copy.width, copy.height).data;
      let near = 0;
      for (let i = 0; i < pixels.length; i += 4) {
        const off = Math.abs(pixels[i] - r) + Math.abs(pixels[i + 1] - g) + Math.abs(pixels[i + 2] - b);
        if (pixels[i + 3] > 128 && off < 60) ++near;
      }
      return near / (pixels.length / 4);
    }, selector, colour);
  }
}

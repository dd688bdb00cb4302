// from little to much: deep blue, teal, green, yellow, red; light and dark grounds both show it
const anchors: [number, number, number][] = [
  [0.16, 0.24, 0.62], [0.12, 0.47, 0.71], [0.16, 0.66, 0.62], [0.52, 0.78, 0.38], [0.96, 0.82, 0.25], [0.93, 0.52, 0.16],
  [0.78, 0.14, 0.16],
];

/** Writes the colour of `share` (0 to 1) at `at`, linear light as three.js wants it. */
export function writeColour(share: number, out: Float32Array | number[], at: number): void {
  const place = Math.min(0.999999, Math.max(0, share)) * (anchors.length - 1);
  const k = Math.floor(place);
  const w = place - k;
  for (let c = 0; c < 3; ++c) {
    const level = anchors[k][c] * (1 - w) + anchors[k + 1][c] * w;
    out[at + c] = level ** 2.2;
  }
}

/** The same as a colour of a style sheet. */
export function cssColour(share: number): string {
  const linear: number[] = [];
  writeColour(share, linear, 0);
  return `rgb(${linear.map((c) => Math.round(255 * c ** (1 / 2.2))).join(" ")})`;
}

/** The next of 1, 2, 5 times a power of ten. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((n) => n * power >= value * 0.999999) ?? 10);
}

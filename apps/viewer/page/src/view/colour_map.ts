// from little to much: deep blue, teal, green, yellow, red; light and dark grounds both show it
const anchors: [number, number, number][] = [
  [0.16, 0.24, 0.62], [0.12, 0.47, 0.71], [0.16, 0.66, 0.62], [0.52, 0.78, 0.38], [0.96, 0.82, 0.25], [0.93, 0.52, 0.16],
  [0.78, 0.14, 0.16],
];
const levels = 256;

/** Red, green and blue of each level, as the eye sees them (0 to 1). */
const table = Array.from({ length: levels }, (_, level) => {
  const place = (level / (levels - 1)) * (anchors.length - 1);
  const k = Math.min(anchors.length - 2, Math.floor(place));
  return [0, 1, 2].map((c) => anchors[k][c] + (anchors[k + 1][c] - anchors[k][c]) * (place - k));
});

/** The same in linear light, as three.js wants it, one after the other. */
const linear = Float32Array.from(table.flat(), (c) => c ** 2.2);

function levelOf(share: number): number {
  return share > 0 ? Math.min(levels - 1, Math.round(share * (levels - 1))) : 0;
}

/** Writes the colour of `share` (0 to 1) at `at`, in linear light. */
export function writeColour(share: number, out: Float32Array, at: number): void {
  const from = 3 * levelOf(share);
  out[at] = linear[from];
  out[at + 1] = linear[from + 1];
  out[at + 2] = linear[from + 2];
}

/** The same as a colour of a style sheet. */
export function cssColour(share: number): string {
  return `rgb(${table[levelOf(share)].map((c) => Math.round(255 * c)).join(" ")})`;
}

/** The next of 1, 2, 5 times a power of ten. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((n) => n * power >= value * 0.999999) ?? 10);
}

const prefixes: [number, string][] = [
  [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"],
];

/** A quantity with three digits and a prefix: 0.00123 m is "1.23 mm". */
export function quantity(value: number, unit: string): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < 1e-15) return `0 ${unit}`;
  const [factor, prefix] = prefixes.find(([f]) => size >= f * 0.9995) ?? prefixes[prefixes.length - 1];
  const scaled = value / factor;
  const digits = Math.abs(scaled) >= 99.95 ? 0 : Math.abs(scaled) >= 9.995 ? 1 : 2;
  return `${scaled.toFixed(digits)} ${prefix}${unit}`;
}

/** A pure number: plain where readable, else with an exponent. */
export function plain(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-3 || size >= 1e5) return value.toExponential(1).replace("e-", "e−").replace("e+", "e");
  return String(Number(value.toPrecision(3)));
}

export function length3(v: ArrayLike<number>, at = 0): number {
  return Math.hypot(v[at], v[at + 1], v[at + 2]);
}

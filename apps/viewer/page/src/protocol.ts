// What the server says and how its binary messages are laid out: docs/viewer_protocol.md.

export interface BodyInfo {
  name: string;
  kind: "fixed" | "rigid" | "deformable" | "corotational" | "quasi-rigid" | "nonlinear";
  vertices: number;
  triangles: number;
  deforms: boolean;
  has_stress: boolean;
  mass_kg: number;
}

export interface HandInfo {
  name: string;
  device: string;
  can_be_taken: boolean;
  bodies: number[];
  reach_m: number | null;
}

export interface Parameter {
  path: string;
  label: string;
  unit: string;
  value: number | string;
  kind: "linear" | "log" | "choice";
  min?: number;
  max?: number;
  choices?: string[];
  restarts: boolean;
}

export interface Hello {
  type: "hello";
  protocol: number;
  version: string;
  controls: boolean;
  scene: {
    number: number;
    name: string;
    title: string;
    dt_s: number;
    tick_s: number;
    up: [number, number, number];
    box_m: [[number, number, number], [number, number, number]];
    duration_s: number;
    deadline_us: number;
    is_recording: boolean;
  };
  scenes: string[];
  bodies: BodyInfo[];
  hands: HandInfo[];
  phases: string[];
  parameters: Parameter[];
  recordings: string[];
  speeds: [number, number];
}

export interface Method {
  name: string;
  converged: boolean;
  in_time: boolean;
  contacts: number;
  loaded_contacts: number;
  iterations: number;
  normal_force_N: number | null;
  friction_force_N: number | null;
  difference_percent: number | null;
  penetration_m: number | null;
  error: number | null;
  solve_us: number | null;
  total_us: number | null;
}

export interface OpenRecording {
  type: "recording";
  name: string | null;
  first_step: number;
  last_step: number;
  dt_s: number;
  is_playing: boolean;
  speed: number;
}

export type ServerMessage =
  | Hello
  | { type: "parameters"; scene: number; parameters: Parameter[] }
  | { type: "controls"; controls: boolean; viewers: number }
  | { type: "comparison"; time_s: number; step: number; methods: Method[]; next: string | null; of: number }
  | { type: "recordings"; names: string[]; recording: string | null }
  | OpenRecording
  | { type: "exported"; name: string; url: string; bytes: number }
  | { type: "loading"; what: string; share: number }
  | { type: "log"; text: string }
  | { type: "warning"; text: string }
  | { type: "error"; text: string; about: string };

export type Field = "none" | "displacement" | "stress" | "pressure";
export const fields: Field[] = ["none", "displacement", "stress", "pressure"];

export type ClientMessage =
  | { type: "ack"; frame: number }
  | { type: "show"; field?: Field; delassus?: boolean }
  | { type: "take_controls" | "pause" | "run" | "reset" | "compare" | "cancel" }
  | { type: "step"; count: number }
  | { type: "speed"; speed: number }
  | { type: "scene"; name: string }
  | { type: "set"; path: string; value: number | string }
  | { type: "grab"; hand: number; body?: number }
  | { type: "release"; hand: number }
  | { type: "hand"; hand: number; position: number[]; orientation: number[] }
  | { type: "record"; do: "start" | "stop" | "play" | "pause" | "close" }
  | { type: "record"; do: "open" | "export"; name: string }
  | { type: "record"; do: "go"; step: number };

export const frameFlag = {
  runs: 1, isRecorded: 2, isRecording: 4, notConverged: 8, notFinite: 16, notRepeated: 32, rowsMissing: 64,
} as const;

export const stepFlag = { converged: 1, metDeadline: 2, wasRestored: 4, wasHeldBack: 8 } as const;

export const contactWidth = 14;
export const handWidth = 36;
export const stepWidth = 19;

/** Columns of a contact. */
export const contactAt = { P: 0, normal: 3, force: 6, mu: 9, state: 10, gap: 11, body1: 12, body2: 13 } as const;
export const contactState = { idle: 0, sticks: 1, slips: 2 } as const;

/** Columns of a hand. */
export const handAt = {
  device: 0, grip: 7, target: 14, wrench: 21, body: 27, isTaken: 28, energyIn: 29, energyRemoved: 30,
  isPassivityActing: 31, safety: 32, largestForce: 33,
} as const;

/** Columns of a row of steps. */
export const stepAt = {
  time: 0, contacts: 1, iterations: 2, error: 3, phases: 4, energy: 11, workIn: 12, friction: 13,
  penetration: 14, flags: 15, loaded: 16, slipping: 17, normalForce: 18,
} as const;

/** Columns of a hand in a row of ticks, after the time. */
export const tickAt = { force: 0, torque: 3, position: 6, energy: 9 } as const;
export const tickHandWidth = 10;

export interface Mesh {
  body: number;
  vertices: Float32Array;
  triangles: Uint32Array;
}

export interface Frame {
  sequence: number;
  flags: number;
  time_s: number;
  ticksFrom_s: number;
  stepsFrom_s: number;
  step: number;
  field: number;
  largestScalar: number;
  speed: number;
  realTimeShare: number;
  ticks: number;
  ticksMissed: number;
  stepsLate: number;
  viewers: number;
  tickMedian_us: number;
  tickLongest_us: number;
  poses: Float32Array;
  vertices: Float32Array;
  scalars: Float32Array;
  contactCount: number;
  contacts: Float32Array;
  handCount: number;
  hands: Float32Array;
  tickCount: number;
  tickWidth: number;
  tickRows: Float32Array;
  stepCount: number;
  stepRows: Float32Array;
}

export interface Delassus {
  step: number;
  contacts: number;
  W: Float32Array;
}

export type Binary =
  | { kind: "mesh"; scene: number; mesh: Mesh }
  | { kind: "frame"; scene: number; frame: Frame }
  | { kind: "delassus"; scene: number; delassus: Delassus };

export function decode(data: ArrayBuffer): Binary | null {
  const head = new DataView(data);
  const scene = head.getUint32(4, true);
  switch (head.getUint32(0, true)) {
    case 1: return { kind: "mesh", scene, mesh: decodeMesh(data, head) };
    case 2: return { kind: "frame", scene, frame: decodeFrame(data, head) };
    case 3: return { kind: "delassus", scene, delassus: decodeDelassus(data, head) };
    default: return null;
  }
}

function decodeMesh(data: ArrayBuffer, head: DataView): Mesh {
  const n = head.getUint32(12, true);
  const t = head.getUint32(16, true);
  return {
    body: head.getUint32(8, true),
    vertices: new Float32Array(data, 24, 3 * n),
    triangles: new Uint32Array(data, 24 + 12 * n, 3 * t),
  };
}

function decodeDelassus(data: ArrayBuffer, head: DataView): Delassus {
  const m = head.getUint32(12, true);
  return { step: head.getUint32(8, true), contacts: m, W: new Float32Array(data, 16, 9 * m * m) };
}

function decodeFrame(data: ArrayBuffer, head: DataView): Frame {
  const word = (offset: number) => head.getUint32(offset, true);
  let at = 112;
  const section = (count: number) => {
    const view = new Float32Array(data, at, count);
    at += 4 * count;
    return view;
  };
  const handCount = word(60);
  const tickWidth = 1 + tickHandWidth * handCount;
  return {
    sequence: word(8),
    flags: word(12),
    time_s: head.getFloat64(16, true),
    ticksFrom_s: head.getFloat64(24, true),
    stepsFrom_s: head.getFloat64(32, true),
    step: word(40),
    field: word(72),
    largestScalar: head.getFloat32(76, true),
    speed: head.getFloat32(80, true),
    realTimeShare: head.getFloat32(84, true),
    ticks: word(88),
    ticksMissed: word(92),
    stepsLate: word(96),
    viewers: word(100),
    tickMedian_us: head.getFloat32(104, true),
    tickLongest_us: head.getFloat32(108, true),
    poses: section(7 * word(44)),
    vertices: section(3 * word(48)),
    scalars: section(word(52)),
    contactCount: word(56),
    contacts: section(contactWidth * word(56)),
    handCount,
    hands: section(handWidth * handCount),
    tickCount: word(64),
    tickWidth,
    tickRows: section(tickWidth * word(64)),
    stepCount: word(68),
    stepRows: section(stepWidth * word(68)),
  };
}

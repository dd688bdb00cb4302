import { spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";

/** Before other work on the machine, where that is allowed: a hand notices when the engine waits. */
function preferred(pid) {
  try {
    setPriority(pid, -10);
  } catch {
    // only the system's owner may
  }
}

/** `stickslip run SCENE --viewer` as a process; it knows its address once it has started. */
export class Engine {
  static async start(program, scene, options = [], token = "") {
    const engine = new Engine();
    engine.process = spawn(program, ["run", scene, "--viewer", ...options], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...(token ? { STICKSLIP_VIEWER_TOKEN: token } : {}) },
    });
    preferred(engine.process.pid);
    engine.messages = "";
    engine.process.stderr.on("data", (text) => { engine.messages += text; });
    const lines = createInterface({ input: engine.process.stdout });
    const ended = once(engine.process, "exit").then(([code]) => {
      throw new Error(`the engine ended with ${code}: ${engine.messages}`);
    });
    ended.catch(() => {});
    const [line] = await Promise.race([once(lines, "line"), ended]);
    lines.on("line", () => {});
    engine.address = line.match(/http:\/\/\S+/)[0];
    engine.port = new URL(engine.address).port;
    return engine;
  }

  /** Ends it as a terminal would, and says with which exit code it went. */
  async stop() {
    if (this.process.exitCode !== null) return this.process.exitCode;
    const gone = once(this.process, "exit");
    this.process.kill("SIGINT");
    const [code] = await gone;
    return code;
  }
}

import { byId, download, make, setPressed, setText } from "../dom";
import type { Session } from "../session";
import { notice } from "./notices";

/** Recordings: start, stop, open, scrub, play at any speed, export. */
export class Recordings {
  private readonly sheet = byId("recordings");
  private readonly list = make("div");
  private readonly timeline = byId("timeline");
  private readonly name = make("span", { class: "name" });
  private readonly play = make("button", { class: "icon", title: "Play or hold (Space)" });
  private readonly place = make("input", { type: "range", step: "1", "aria-label": "Place in the recording" });
  private readonly when = make("output");
  private isScrubbing = false;

  constructor(private readonly session: Session) {
    byId("record").onclick = () => this.toggle();
    this.sheet.append(
      make("p", { class: "muted" }, "A recording keeps inputs, motion and contacts of a run. It can be looked at step by step, and repeated bit by bit by stickslip replay."),
      this.list);
    this.buildTimeline();
    session.on("hello", (hello) => this.show(hello.recordings));
    session.on("message", (message) => {
      if (message.type === "recordings") this.show(message.names);
      if (message.type === "recording") this.open();
      if (message.type === "exported") void this.fetchTable(message.name, message.url);
    });
    session.on("controls", () => this.show(session.hello?.recordings ?? []));
    session.on("draw", (frame) => {
      if (!session.recording) return;
      if (!this.isScrubbing) this.place.value = String(frame.step);
      setText(this.when, `${frame.time_s.toFixed(3)} s`);
      setText(this.play, session.recording.is_playing ? "❚❚" : "▶");
    });
  }

  toggle(): void {
    this.session.send({ type: "record", do: this.session.recordingBeingWritten ? "stop" : "start" });
  }

  private buildTimeline(): void {
    const close = make("button", { title: "Back to the live scene" }, "Close");
    close.onclick = () => this.session.send({ type: "record", do: "close" });
    this.play.onclick = () =>
      this.session.send({ type: "record", do: this.session.recording?.is_playing ? "pause" : "play" });
    this.place.onpointerdown = () => { this.isScrubbing = true; };
    this.place.onchange = () => { this.isScrubbing = false; };
    this.place.oninput = () => this.session.send({ type: "record", do: "go", step: Number(this.place.value) });
    this.timeline.append(this.name, this.play, this.place, this.when, close);
  }

  private open(): void {
    const { recording } = this.session;
    this.timeline.hidden = recording === null;
    if (!recording) return;
    setText(this.name, recording.name ?? "");
    this.place.min = String(recording.first_step);
    this.place.max = String(recording.last_step);
  }

  private show(names: string[]): void {
    const { session } = this;
    if (session.hello) session.hello.recordings = names;
    const button = byId<HTMLButtonElement>("record");
    button.disabled = !session.hasControls;
    setPressed(button, session.recordingBeingWritten !== null);
    if (!session.recording) this.timeline.hidden = true;
    const rows = names.map((name) => this.row(name));
    this.list.replaceChildren(rows.length > 0
      ? make("table", { class: "rows" }, make("tbody", {}, ...rows))
      : make("p", {}, "None yet. O or the red button starts one."));
  }

  private row(name: string): HTMLElement {
    const isWritten = this.session.recordingBeingWritten === name;
    const action = (label: string, run: () => void) => {
      const button = make("button", {}, label);
      button.disabled = isWritten || !this.session.hasControls;
      button.onclick = run;
      return make("td", {}, button);
    };
    return make("tr", { "data-recording": name },
      make("td", {}, isWritten ? `${name} (being written)` : name),
      action("Open", () => this.session.send({ type: "record", do: "open", name })),
      action("CSV", () => this.session.send({ type: "record", do: "export", name })));
  }

  private async fetchTable(name: string, url: string): Promise<void> {
    const answer = await fetch(this.session.address(url));
    if (!answer.ok) {
      notice(`The table of ${name} could not be fetched (status ${answer.status})`, "bad");
      return;
    }
    download(`${name}.csv`, await answer.blob());
    notice(`Saved ${name}.csv`);
  }
}

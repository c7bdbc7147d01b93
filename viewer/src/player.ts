// The player: controls the time of the animation and updates everything that depends on it.
import { button, download, element, icon, pretty } from "./dom";
import type { Motion } from "./motion";
import type { StageView } from "./stage";

// Speeds relative to real time: one that plays the run in several seconds, and multiples of it.
function speeds(duration: number): { list: number[]; start: number } {
  const target = duration > 4 && duration < 40 ? 1 : duration / 10;
  const power = 10 ** Math.floor(Math.log10(target || 1));
  const digit = target / power;
  const start = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
  const list = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10].map((factor) => Number((factor * start).toPrecision(3)));
  if (!list.includes(1)) list.push(1); // real time, always
  list.sort((a, b) => a - b);
  return { list, start: Number(start.toPrecision(3)) };
}

export class Player {
  readonly bar: HTMLElement;
  time: number;
  playing = false;
  private loop = true;
  private before = 0;
  private readonly play: HTMLButtonElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly scrub: HTMLInputElement;
  private readonly clock: HTMLOutputElement;
  private readonly speed: HTMLSelectElement;
  private readonly video: HTMLButtonElement;
  private recorder?: MediaRecorder;

  constructor(
    private motion: Motion,
    private stage: StageView,
    private title: string,
    private units: string,
    private axis: string,
    private changed: (time: number) => void,
  ) {
    this.time = motion.start;
    this.play = button("play", "Play", "space", () => this.toggle());
    this.play.classList.add("primary");
    this.loopButton = button("loop", "Loop", "L", () => this.toggleLoop());
    this.loopButton.setAttribute("aria-pressed", "true");
    this.scrub = element("input", {
      type: "range", min: "0", max: "100000", step: "1", value: "0", "aria-label": "Time",
    });
    this.scrub.addEventListener("input", () => this.seek(motion.start + (Number(this.scrub.value) / 100000) * this.span));
    this.clock = element("output", { class: "clock", "aria-label": "Time" });
    const choice = speeds(this.span);
    this.speed = element("select", { "aria-label": "Speed", title: "Speed relative to real time (+ and −)" });
    for (const value of choice.list) {
      const option = element("option", { value: String(value) }, `${value}×`);
      option.selected = value === choice.start;
      this.speed.append(option);
    }
    this.video = button("video", "Record a video", "V", () => this.record());
    this.bar = element(
      "div",
      { class: "bar", role: "group", "aria-label": "Player" },
      button("back", "Step back", "←", () => this.step(-1)),
      this.play,
      button("next", "Step forward", "→", () => this.step(1)),
      this.scrub,
      this.clock,
      this.speed,
      this.loopButton,
      button("picture", "Save a picture", "P", () => void this.picture()),
      this.video,
    );
    this.show();
  }

  private get span(): number {
    return this.motion.end - this.motion.start;
  }

  private show(): void {
    const part = this.span > 0 ? (this.time - this.motion.start) / this.span : 0;
    this.scrub.value = String(Math.round(part * 100000));
    const value = pretty(this.motion.valueAt(this.time));
    const text = this.axis ? value : `${value} ${this.units}`;
    this.scrub.setAttribute("aria-valuetext", text);
    this.clock.value = `${this.axis || "t"} = ${text}`;
    this.motion.set(this.time);
    this.stage.update(this.time);
    this.changed(this.time);
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.motion.start), this.motion.end);
    this.show();
  }

  // Moves by a number of animation frames and stops the player.
  step(frames: number): void {
    this.stop();
    const at = Math.min(Math.max(this.motion.frameAt(this.time) + frames, 0), this.motion.frames - 1);
    this.seek(this.motion.time[at] ?? 0);
  }

  toggle(): void {
    if (this.playing) this.stop();
    else this.start();
  }

  start(): void {
    if (this.time >= this.motion.end) this.seek(this.motion.start);
    this.playing = true;
    this.before = performance.now();
    this.setPlayButton("pause", "Pause");
  }

  stop(): void {
    this.playing = false;
    this.setPlayButton("play", "Play");
  }

  private setPlayButton(name: string, label: string): void {
    this.play.replaceChildren(icon(name));
    this.play.setAttribute("aria-label", label);
    this.play.title = `${label} (space)`;
  }

  toggleLoop(): void {
    this.loop = !this.loop;
    this.loopButton.setAttribute("aria-pressed", String(this.loop));
  }

  changeSpeed(by: number): void {
    const last = this.speed.options.length - 1;
    this.speed.selectedIndex = Math.min(Math.max(this.speed.selectedIndex + by, 0), last);
  }

  // Called once per screen refresh.
  tick(now: number): void {
    if (this.playing) {
      const step = ((now - this.before) / 1000) * Number(this.speed.value);
      this.before = now;
      let time = this.time + Math.max(step, 0);
      if (time >= this.motion.end) {
        if (this.loop && !this.recorder && this.span > 0) {
          time = this.motion.start + ((time - this.motion.start) % this.span);
        } else {
          time = this.motion.end;
          this.stop();
          this.recorder?.stop();
        }
      }
      this.seek(time);
    }
    this.stage.render();
  }

  async picture(): Promise<void> {
    const blob = await this.stage.picture();
    if (blob) download(blob, `${this.title}.png`);
  }

  // Plays the run once and downloads a video of the canvas; a second call stops the recording.
  record(): void {
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    if (typeof MediaRecorder === "undefined") return;
    const type = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find((t) => MediaRecorder.isTypeSupported(t));
    if (!type) return;
    const parts: Blob[] = [];
    const recorder = new MediaRecorder(this.stage.canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 8e6 });
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    recorder.addEventListener("stop", () => {
      this.recorder = undefined;
      this.video.setAttribute("aria-pressed", "false");
      download(new Blob(parts, { type }), `${this.title}.${type.startsWith("video/mp4") ? "mp4" : "webm"}`);
    });
    this.recorder = recorder;
    this.video.setAttribute("aria-pressed", "true");
    this.seek(this.motion.start);
    recorder.start();
    this.start();
  }
}

// The motion: position and rotation of every node at any time, interpolated between the animation
// frames of the report.
import { Matrix4, Quaternion, Vector3 } from "three";
import { doubles, floats, shorts, words, type RunReport } from "./data";

export class Motion {
  readonly nodes: string[];
  readonly frames: number;
  readonly time: Float64Array; // of the frames, increasing
  readonly folded: boolean; // the recorded times turn back: `time` counts the frames
  private value: Float64Array; // the recorded times
  readonly matrices: Matrix4[]; // of the nodes, at the current time
  private box: Float32Array;
  private position: Uint16Array;
  private rotation: Int16Array;
  private a = new Vector3();
  private b = new Vector3();
  private qa = new Quaternion();
  private qb = new Quaternion();
  private one = new Vector3(1, 1, 1);

  constructor(report: RunReport) {
    this.nodes = report.nodes ?? [];
    const data = report.frames;
    this.frames = data?.count ?? 0;
    this.value = doubles(data?.time ?? "");
    this.folded = this.value.some((time, i) => i > 0 && time <= this.value[i - 1]);
    this.time = this.folded ? this.value.map((_, i) => i) : this.value;
    this.box = floats(data?.box ?? "");
    this.position = words(data?.position ?? "");
    this.rotation = shorts(data?.turn ?? "");
    this.matrices = this.nodes.map(() => new Matrix4());
  }

  get start(): number {
    return this.frames > 0 ? this.time[0] : 0;
  }

  get end(): number {
    return this.frames > 0 ? this.time[this.frames - 1] : 0;
  }

  // The recorded time at a time of the animation.
  valueAt(time: number): number {
    if (!this.folded) return time;
    const frame = this.frameAt(time);
    const next = Math.min(frame + 1, this.frames - 1);
    return this.value[frame] + (time - frame) * (this.value[next] - this.value[frame]);
  }

  // The last frame that is not later than `time`.
  frameAt(time: number): number {
    let low = 0;
    let high = this.frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  positionAt(frame: number, node: number, out: Vector3): Vector3 {
    const at = 3 * (frame * this.nodes.length + node);
    const box = 6 * node;
    return out.set(
      this.box[box] + (this.box[box + 3] * this.position[at]) / 65535,
      this.box[box + 1] + (this.box[box + 4] * this.position[at + 1]) / 65535,
      this.box[box + 2] + (this.box[box + 5] * this.position[at + 2]) / 65535,
    );
  }

  rotationAt(frame: number, node: number, out: Quaternion): Quaternion {
    const at = 4 * (frame * this.nodes.length + node);
    const t = this.rotation;
    return out.set(t[at + 1], t[at + 2], t[at + 3], t[at]).normalize();
  }

  matrixAt(frame: number, node: number, out: Matrix4): Matrix4 {
    return out.compose(this.positionAt(frame, node, this.a), this.rotationAt(frame, node, this.qa), this.one);
  }

  // Sets the matrices of all nodes for a time.
  set(time: number): void {
    if (this.frames === 0) return;
    const frame = this.frameAt(time);
    const next = Math.min(frame + 1, this.frames - 1);
    const span = this.time[next] - this.time[frame];
    const part = span > 0 ? Math.min(Math.max((time - this.time[frame]) / span, 0), 1) : 0;
    for (let i = 0; i < this.nodes.length; i++) {
      this.positionAt(frame, i, this.a).lerp(this.positionAt(next, i, this.b), part);
      this.rotationAt(frame, i, this.qa).slerp(this.rotationAt(next, i, this.qb), part);
      this.matrices[i].compose(this.a, this.qa, this.one);
    }
  }
}

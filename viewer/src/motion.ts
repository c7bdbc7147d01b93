// The motion: where every node is at any time, between the frames of the report.
import { Matrix4, Quaternion, Vector3 } from "three";
import { doubles, floats, shorts, words, type RunReport } from "./data";

export class Motion {
  readonly nodes: string[];
  readonly frames: number;
  readonly time: Float64Array;
  readonly matrices: Matrix4[]; // of the nodes, at the time last set
  private box: Float32Array;
  private position: Uint16Array;
  private turn: Int16Array;
  private a = new Vector3();
  private b = new Vector3();
  private qa = new Quaternion();
  private qb = new Quaternion();
  private one = new Vector3(1, 1, 1);

  constructor(report: RunReport) {
    this.nodes = report.nodes ?? [];
    const data = report.frames;
    this.frames = data?.count ?? 0;
    this.time = doubles(data?.time ?? "");
    this.box = floats(data?.box ?? "");
    this.position = words(data?.position ?? "");
    this.turn = shorts(data?.turn ?? "");
    this.matrices = this.nodes.map(() => new Matrix4());
  }

  get start(): number {
    return this.frames > 0 ? this.time[0] : 0;
  }

  get end(): number {
    return this.frames > 0 ? this.time[this.frames - 1] : 0;
  }

  // The last frame that is not later.
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

  place(frame: number, node: number, out: Vector3): Vector3 {
    const at = 3 * (frame * this.nodes.length + node);
    const box = 6 * node;
    return out.set(
      this.box[box] + (this.box[box + 3] * this.position[at]) / 65535,
      this.box[box + 1] + (this.box[box + 4] * this.position[at + 1]) / 65535,
      this.box[box + 2] + (this.box[box + 5] * this.position[at + 2]) / 65535,
    );
  }

  turned(frame: number, node: number, out: Quaternion): Quaternion {
    const at = 4 * (frame * this.nodes.length + node);
    const t = this.turn;
    return out.set(t[at + 1], t[at + 2], t[at + 3], t[at]).normalize();
  }

  matrixAt(frame: number, node: number, out: Matrix4): Matrix4 {
    return out.compose(this.place(frame, node, this.a), this.turned(frame, node, this.qa), this.one);
  }

  // Sets the matrices of all nodes.
  set(time: number): void {
    if (this.frames === 0) return;
    const frame = this.frameAt(time);
    const next = Math.min(frame + 1, this.frames - 1);
    const span = this.time[next] - this.time[frame];
    const part = span > 0 ? Math.min(Math.max((time - this.time[frame]) / span, 0), 1) : 0;
    for (let i = 0; i < this.nodes.length; i++) {
      this.place(frame, i, this.a).lerp(this.place(next, i, this.b), part);
      this.turned(frame, i, this.qa).slerp(this.turned(next, i, this.qb), part);
      this.matrices[i].compose(this.a, this.qa, this.one);
    }
  }
}

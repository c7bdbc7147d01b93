// Sections swept between the frames of two nodes, coloured by stress. src/results/sweep.c implements the
// same map.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Matrix4, Mesh, MeshStandardMaterial, Vector3 } from "three";
import { bytesOf, floats, integers, type RunReport } from "./data";
import type { Motion } from "./motion";
import { gradient } from "./theme";

// A corner of the outline in units of the half-widths, with its normal (of a circle: scaled to the ellipse later).
interface Corner {
  x: number;
  y: number;
  nx: number;
  ny: number;
}

// A rectangle has two corners at every edge, one for each of its sides.
function outline(round: boolean, around: number): Corner[] {
  if (round)
    return Array.from({ length: around }, (_, i) => {
      const x = Math.cos((2 * Math.PI * i) / around);
      const y = Math.sin((2 * Math.PI * i) / around);
      return { x, y, nx: x, ny: y };
    });
  const sides = [[1, 0], [0, 1], [-1, 0], [0, -1]];
  return sides.flatMap(([nx, ny]) => [
    { x: nx + ny, y: ny - nx, nx, ny },
    { x: nx - ny, y: ny + nx, nx, ny },
  ]);
}

// One sweep: a drawable, its corners and the index of its first vertex.
interface Piece {
  row: number;
  node: [number, number];
  axes: [Vector3, Vector3, Vector3, Vector3]; // first and second half-width at both ends, in the frames of the nodes
  corners: Corner[];
  first: number;
  stress: number; // its row in the table of stresses, -1: none
}

export class Sweeps {
  readonly mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
  readonly rows: number[];
  private pieces: Piece[] = [];
  private rings: number;
  private position: Float32Array;
  private normal: Float32Array;
  private shade: Float32Array;
  private values: Uint8Array;
  private chosen = -1; // kind of stress, -1: plain
  private plain = new Color();
  private scale: Color[] = [];

  constructor(
    private report: RunReport,
    private motion: Motion,
    map: Float32Array,
    node: Int32Array,
  ) {
    const scene = report.scene!;
    const ends = floats(scene.sweep_end ?? "");
    const stress = report.frames?.stress;
    const stressRow = new Map<number, number>();
    if (stress) integers(stress.drawable).forEach((row, i) => stressRow.set(row, i));
    this.values = bytesOf(stress?.size ?? "");
    this.rows = [...scene.primitive.keys()].filter((i) => scene.primitive[i] === "sweep");
    // more rings if there are few sweeps
    this.rings = this.rows.length > 400 ? 2 : this.rows.length > 60 ? 4 : 9;
    const around = this.rows.length > 400 ? 10 : 24;
    let vertices = 0;
    const index: number[] = [];
    this.rows.forEach((row, i) => {
      const m = map.subarray(15 * row + 6, 15 * row + 15);
      const e = ends.subarray(6 * i, 6 * i + 6);
      const corners = outline(Math.hypot(m[6], m[7], m[8]) > 0, around);
      this.pieces.push({
        row,
        node: [node[2 * row], node[2 * row + 1]],
        axes: [new Vector3(m[0], m[1], m[2]), new Vector3(m[3], m[4], m[5]), new Vector3(e[0], e[1], e[2]), new Vector3(e[3], e[4], e[5])],
        corners,
        first: vertices,
        stress: stressRow.get(row) ?? -1,
      });
      this.join(corners, vertices, index);
      vertices += corners.length * (this.rings + 2);
    });
    this.position = new Float32Array(3 * vertices);
    this.normal = new Float32Array(3 * vertices);
    this.shade = new Float32Array(3 * vertices);
    const geometry = new BufferGeometry();
    const attributes = { position: this.position, normal: this.normal, color: this.shade };
    for (const [name, array] of Object.entries(attributes))
      geometry.setAttribute(name, new BufferAttribute(array, 3).setUsage(DynamicDrawUsage));
    geometry.setIndex(index);
    this.mesh = new Mesh(geometry, new MeshStandardMaterial({ roughness: 0.55, metalness: 0.05, vertexColors: true }));
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
  }

  // Triangles of the sides between rings, and of the two ends, which have rings of their own after the others.
  private join(corners: Corner[], first: number, index: number[]): void {
    const n = corners.length;
    for (let ring = 0; ring + 1 < this.rings; ring++)
      for (let i = 0; i < n; i++) {
        const a = first + ring * n + i;
        const b = first + ring * n + ((i + 1) % n);
        index.push(a, b, b + n, a, b + n, a + n);
      }
    const low = first + this.rings * n;
    for (let i = 1; i + 1 < n; i++) index.push(low, low + i + 1, low + i, low + n, low + n + i, low + n + i + 1);
  }

  // Selects the stress of the colours: one of the stresses of the report, or -1.
  choose(kind: number): void {
    this.chosen = kind;
  }

  recolour(plain: Color): void {
    this.plain = plain;
    this.scale = gradient().map((one) => new Color(one).convertLinearToSRGB()); // as the legend mixes them
  }

  update(time: number): void {
    const frame = this.motion.frameAt(time);
    const next = Math.min(frame + 1, this.motion.frames - 1);
    const span = this.motion.time[next] - this.motion.time[frame];
    const part = span > 0 ? Math.min(Math.max((time - this.motion.time[frame]) / span, 0), 1) : 0;
    const colour = new Color();
    for (const piece of this.pieces) {
      this.bend(piece);
      this.paint(piece, this.colourOf(piece, frame, next, part, colour));
    }
    for (const name of ["position", "normal", "color"]) this.mesh.geometry.getAttribute(name).needsUpdate = true;
  }

  private colourOf(piece: Piece, frame: number, next: number, part: number, out: Color): Color {
    const stress = this.report.frames?.stress;
    if (!stress || this.chosen < 0 || piece.stress < 0) return out.copy(this.plain);
    const kinds = stress.names.length;
    const at = (k: number): number => this.values[(k * stress.count + piece.stress) * kinds + this.chosen];
    const value = ((1 - part) * at(frame) + part * at(next)) / 255;
    const where = Math.min(Math.max(value, 0), 1) * (this.scale.length - 1);
    const low = Math.min(Math.floor(where), this.scale.length - 2);
    return out.copy(this.scale[low]).lerp(this.scale[low + 1], where - low).convertSRGBToLinear();
  }

  private paint(piece: Piece, colour: Color): void {
    const count = piece.corners.length * (this.rings + 2);
    for (let i = 3 * piece.first; i < 3 * (piece.first + count); i += 3) {
      this.shade[i] = colour.r;
      this.shade[i + 1] = colour.g;
      this.shade[i + 2] = colour.b;
    }
  }

  // Centre line c(s) by Hermite interpolation; half-widths rotate from those of one end to the other.
  private bend(piece: Piece): void {
    const identity = new Matrix4();
    const [first, second] = piece.node.map((node) => (node >= 0 ? this.motion.matrices[node] : identity));
    const [a1, a2, b1, b2] = piece.axes.map((axis, i) => axis.clone().transformDirection(i < 2 ? first : second));
    const widths = [Math.max(piece.axes[0].length(), 1e-12), Math.max(piece.axes[1].length(), 1e-12)];
    const from = new Vector3().setFromMatrixPosition(first);
    const to = new Vector3().setFromMatrixPosition(second);
    const length = from.distanceTo(to);
    const out = a1.clone().cross(a2);
    const into = b1.clone().cross(b2);
    const center = new Vector3();
    const e1 = new Vector3();
    const e2 = new Vector3();
    for (let ring = 0; ring < this.rings; ring++) {
      const s = ring / (this.rings - 1);
      const r = 1 - s;
      center.set(0, 0, 0).addScaledVector(from, r * r * (1 + 2 * s)).addScaledVector(out, s * r * r * length);
      center.addScaledVector(to, s * s * (3 - 2 * s)).addScaledVector(into, -s * s * r * length);
      e1.copy(a1).lerp(b1, s).normalize();
      e2.copy(a2).lerp(b2, s).normalize();
      this.ring(piece, ring, center, e1, e2, widths);
    }
    this.ring(piece, this.rings, from, a1, a2, widths, out.negate());
    this.ring(piece, this.rings + 1, to, b1, b2, widths, into);
  }

  private ring(piece: Piece, ring: number, center: Vector3, e1: Vector3, e2: Vector3, widths: number[], normal?: Vector3): void {
    const at = new Vector3();
    piece.corners.forEach((corner, i) => {
      const to = 3 * (piece.first + ring * piece.corners.length + i);
      at.copy(center).addScaledVector(e1, widths[0] * corner.x).addScaledVector(e2, widths[1] * corner.y).toArray(this.position, to);
      if (normal) normal.toArray(this.normal, to);
      else at.set(0, 0, 0).addScaledVector(e1, corner.nx / widths[0]).addScaledVector(e2, corner.ny / widths[1]).normalize().toArray(this.normal, to);
    });
  }
}

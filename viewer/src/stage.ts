// The stage: the scene in three dimensions, drawn by three.js. It depends on primitives and roles, not on
// kinds of elements.
import {
  AmbientLight,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CatmullRomCurve3,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DirectionalLight,
  DoubleSide,
  DynamicDrawUsage,
  FrontSide,
  Group,
  HemisphereLight,
  InstancedMesh,
  LatheGeometry,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  Quaternion,
  Scene,
  ShadowMaterial,
  SphereGeometry,
  TubeGeometry,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { ContactMarks, contactsOf } from "./contacts";
import { floats, integers, type RunReport } from "./data";
import type { Motion } from "./motion";
import { shapesOf } from "./shapes";
import { Sweeps } from "./sweeps";
import { colour, palette, theme } from "./theme";

// Unit geometries of the primitives, along the third axis; links extend from 0 to 1 with radius 1.
function tetrahedron(): BufferGeometry {
  const o = [0, 0, 0];
  const x = [1, 0, 0];
  const y = [0, 1, 0];
  const z = [0, 0, 1];
  const faces = [o, y, x, o, x, z, o, z, y, x, y, z].flat();
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(faces), 3));
  geometry.computeVertexNormals();
  return geometry;
}

// A coil is drawn some six times as long as wide; the wire has the thickness that it has then.
function coil(detail: number): BufferGeometry {
  const slender = 6;
  const points: Vector3[] = [new Vector3(0, 0, 0), new Vector3(0, 0, 0.08 * slender)];
  const turns = 9;
  for (let i = 0; i <= turns * 12; i++) {
    const angle = (2 * Math.PI * i) / 12;
    const height = 0.12 + (0.76 * i) / (turns * 12);
    points.push(new Vector3(Math.cos(angle), Math.sin(angle), height * slender));
  }
  points.push(new Vector3(0, 0, 0.92 * slender), new Vector3(0, 0, slender));
  const path = new CatmullRomCurve3(points, false, "chordal");
  return new TubeGeometry(path, 260 * detail, 0.14, 6).scale(1, 1, 1 / slender);
}

function dashpot(): BufferGeometry {
  const outline = [
    [0, 0], [0.2, 0], [0.2, 0.3], [0.9, 0.3], [0.9, 0.7], [0.35, 0.7], [0.35, 1], [0, 1],
  ].map(([r, z]) => new Vector2(r, z));
  return new LatheGeometry(outline, 20).rotateX(Math.PI / 2);
}

// `detail` is 1, or less if there are many drawables.
const geometries: Record<string, (detail: number) => BufferGeometry> = {
  ellipsoid: (detail) => new SphereGeometry(1, 40 * detail, 24 * detail),
  box: () => new BoxGeometry(1, 1, 1),
  cylinder: (detail) => new CylinderGeometry(1, 1, 1, 40 * detail).rotateX(Math.PI / 2),
  cone: (detail) => new ConeGeometry(1, 1, 40 * detail).rotateX(-Math.PI / 2).translate(0, 0, 0.5),
  tetrahedron,
  rod: (detail) => new CylinderGeometry(1, 1, 1, 16 * detail).rotateX(Math.PI / 2).translate(0, 0, 0.5),
  coil,
  dashpot,
};
const links = new Set(["rod", "coil", "dashpot"]);
const flat = new Set(["box", "tetrahedron"]);

// The drawables of one primitive.
interface Batch {
  mesh: InstancedMesh;
  rows: number[]; // of the scene table
  link: boolean;
}

interface Trace {
  node: number;
  point: Vector3;
  whole: Line2;
  past: Line2;
}

// The interface of a stage.
export interface StageView {
  readonly canvas: HTMLCanvasElement;
  readonly gridStep: number;
  readonly traceStride: number; // frames between two points of a trace
  readonly start: number; // the node that is followed when the page opens; -1: none
  readonly shapes: number; // states that are drawn side by side, as lines
  readonly contacts: number; // contacts that are marked
  recolour(): void;
  update(time: number): void;
  follow(node: number): void;
  show(role: string, visible: boolean): void;
  view(from: "corner" | "x" | "y" | "z"): void;
  fit(): void;
  resize(): void;
  render(force?: boolean): void;
  picture(): Promise<Blob | null>;
  stress(kind: number): void;
}

// The stage of a browser without WebGL 2: a message; all other parts of the page work.
export class EmptyStage implements StageView {
  readonly canvas = document.createElement("canvas");
  readonly gridStep = 0;
  readonly traceStride = 1;
  readonly start = -1;
  readonly shapes = 0;
  readonly contacts = 0;
  constructor(host: HTMLElement) {
    const note = document.createElement("p");
    note.className = "missing";
    note.textContent = "This browser cannot draw the motion: it has no WebGL 2. The plots are complete.";
    host.append(note);
  }
  recolour(): void {}
  update(): void {}
  follow(): void {}
  show(): void {}
  view(): void {}
  fit(): void {}
  stress(): void {}
  resize(): void {}
  render(): void {}
  picture(): Promise<Blob | null> {
    return Promise.resolve(null);
  }
}

// Opens the stage that the browser supports.
export function openStage(report: RunReport, motion: Motion, host: HTMLElement): StageView {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true, alpha: false });
  return context ? new Stage(report, motion, host, canvas, context) : new EmptyStage(host);
}

export class Stage implements StageView {
  readonly canvas: HTMLCanvasElement;
  readonly gridStep: number;
  readonly traceStride: number;
  readonly start: number;
  readonly shapes: number;
  readonly contacts: number;
  private readonly triad: Triad;
  private size = 1; // radius of the model at the start
  private pixel = 0; // world units per pixel for which the thinnest drawables were made visible
  private renderer: WebGLRenderer;
  private scene = new Scene();
  private camera = new PerspectiveCamera(35, 1, 0.01, 100);
  private controls: OrbitControls;
  private world = new Group();
  private batches: Batch[] = [];
  private traces: Trace[] = [];
  private sweeps?: Sweeps;
  private marks?: ContactMarks;
  private time = 0;
  private node: Int32Array;
  private map: Float32Array;
  private local: Matrix4[] = [];
  private up = new Vector3(0, 0, 1);
  private center = new Vector3();
  private radius = 1;
  private floor = 0;
  private grid?: LineSegments;
  private shapeLines?: LineSegments;
  private ground?: Mesh;
  private sun = new DirectionalLight(0xffffff, 1.9);
  private sky = new HemisphereLight(0xffffff, 0x404650, 1.1);
  private lamp = new DirectionalLight(0xffffff, 0.9); // moves with the camera
  private followed = -1;
  private followedAt = new Vector3();
  private hidden = new Set<string>();
  private dirty = true;

  constructor(
    private report: RunReport,
    private motion: Motion,
    host: HTMLElement,
    canvas: HTMLCanvasElement,
    context: WebGL2RenderingContext,
  ) {
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.type = PCFShadowMap;
    this.canvas = canvas;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    host.append(this.canvas);
    this.node = integers(report.scene?.node ?? "");
    this.map = floats(report.scene?.map ?? "");
    this.findUp();
    this.buildBatches();
    this.measure();
    this.spreadPlanes();
    this.gridStep = this.buildGround();
    this.traceStride = this.buildTraces();
    const shapes = shapesOf(report, motion, this.node);
    this.shapes = shapes?.count ?? 0;
    if (shapes) this.scene.add((this.shapeLines = shapes.lines));
    const contacts = contactsOf(report);
    if (contacts && contacts.pointCount > 0) {
      this.marks = new ContactMarks(contacts, motion, this.radius);
      this.world.add(...this.marks.meshes);
    }
    this.contacts = this.marks ? contacts!.pointCount : 0;
    this.buildLights();
    this.scene.add(this.world);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.invalidate());
    this.canvas.setAttribute("aria-label", this.describe());
    this.triad = new Triad(host);
    this.recolour();
    this.view("corner");
    this.start = this.findMoving();
    if (this.start >= 0) {
      this.follow(this.start);
      const back = this.camera.position.clone().sub(this.controls.target);
      this.camera.position.copy(this.controls.target).addScaledVector(back, (2.2 * this.size) / this.radius);
      this.controls.update();
    }
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  private describe(): string {
    const roles = new Map<string, Set<string>>();
    const scene = this.report.scene;
    scene?.role.forEach((role, i) => {
      const names = roles.get(role) ?? new Set();
      names.add(scene.name[i]);
      roles.set(role, names);
    });
    const words = [...roles].map(([role, names]) => `${role}: ${[...names].slice(0, 12).join(", ")}`);
    return `Animation of ${this.report.title}. ${words.join("; ")}`;
  }

  // The vertical: opposite to gravity; without gravity the third axis.
  private findUp(): void {
    const g = this.report.scene?.gravity ?? [0, 0, 0];
    const up = new Vector3(-g[0], -g[1], -g[2]);
    if (up.length() > 0) this.up.copy(up.normalize());
    else if ((this.report.scene?.plane[2] ?? 0) !== 0) this.up.set(0, 1, 0);
  }

  // ---- what is drawn

  private buildBatches(): void {
    const scene = this.report.scene;
    if (!scene) return;
    const groups = new Map<string, number[]>();
    for (let i = 0; i < scene.count; i++) {
      const m = this.map.subarray(15 * i, 15 * i + 15);
      this.local.push(
        new Matrix4().set(
          m[6], m[9], m[12], m[0], m[7], m[10], m[13], m[1], m[8], m[11], m[14], m[2], 0, 0, 0, 1,
        ),
      );
      if (!(scene.primitive[i] in geometries)) continue;
      const rows = groups.get(scene.primitive[i]) ?? [];
      rows.push(i);
      groups.set(scene.primitive[i], rows);
    }
    if (scene.primitive.includes("sweep")) {
      this.sweeps = new Sweeps(this.report, this.motion, this.map, this.node);
      this.world.add(this.sweeps.mesh);
    }
    const enclosing = this.findEnclosing();
    const opacityOf = (row: number): number => scene.opacity?.[row] || (enclosing.has(row) ? 0.3 : 1);
    for (const [primitive, opacity, rows] of [...groups].flatMap(([primitive, all]): [string, number, number[]][] =>
      [...new Set(all.map(opacityOf))].map((opacity) => [primitive, opacity, all.filter((row) => opacityOf(row) === opacity)]),
    )) {
      const clear = opacity < 1;
      const material = new MeshStandardMaterial({
        roughness: 0.55,
        metalness: 0.05,
        flatShading: flat.has(primitive),
        // a tetrahedron may be mirrored by its map
        side: primitive === "tetrahedron" ? DoubleSide : FrontSide,
        transparent: clear,
        opacity,
        depthWrite: !clear,
      });
      const detail = rows.length > 40 ? 0.5 : 1;
      const mesh = new InstancedMesh(geometries[primitive](detail), material, rows.length);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = !clear;
      mesh.renderOrder = clear ? 1 : 0;
      this.world.add(mesh);
      this.batches.push({ mesh, rows, link: links.has(primitive) });
    }
  }

  // Solids of bodies in which, initially, another body has its middle: they are drawn transparent.
  private findEnclosing(): Set<number> {
    const scene = this.report.scene!;
    const found = new Set<number>();
    const solids: { row: number; inverse: Matrix4; middle: Vector3; size: number }[] = [];
    for (let row = 0; row < scene.count && solids.length <= 400 && this.motion.frames > 0; row++) {
      const node = this.node[2 * row];
      if (scene.role[row] !== "body" || node < 0 || !["ellipsoid", "box", "cylinder"].includes(scene.primitive[row])) continue;
      const whole = new Matrix4().multiplyMatrices(this.motion.matrixAt(0, node, new Matrix4()), this.local[row]);
      solids.push({ row, inverse: whole.clone().invert(), middle: new Vector3().setFromMatrixPosition(whole), size: this.radiusOf(row) });
    }
    if (solids.length > 400) return found;
    const limits: Record<string, (x: Vector3) => boolean> = {
      ellipsoid: (x) => x.length() < 1,
      box: (x) => Math.max(Math.abs(x.x), Math.abs(x.y), Math.abs(x.z)) < 0.5,
      cylinder: (x) => Math.hypot(x.x, x.y) < 1 && Math.abs(x.z) < 0.5,
    };
    for (const outer of solids)
      for (const inner of solids) {
        if (this.node[2 * outer.row] === this.node[2 * inner.row] || inner.size > 0.8 * outer.size) continue;
        const x = inner.middle.clone().applyMatrix4(outer.inverse);
        if (limits[scene.primitive[outer.row]](x)) found.add(outer.row);
      }
    return found;
  }

  // The node that moves farthest if the whole motion is much larger than the model; -1: none.
  private findMoving(): number {
    const box = [new Vector3(Infinity, Infinity, Infinity), new Vector3(-Infinity, -Infinity, -Infinity)];
    const at = new Vector3();
    let largest = 0;
    // what is held by the ground does not fly away
    const held = this.report.scene?.role.some((role, i) => role !== "ground" && role !== "trace" &&
      (this.node[2 * i] < 0 || (links.has(this.report.scene!.primitive[i]) && this.node[2 * i + 1] < 0)));
    if (this.motion.frames === 0 || held) return -1;
    for (let i = 0; i < (this.report.scene?.count ?? 0); i++) {
      const node = this.node[2 * i];
      if (node < 0) continue;
      at.setFromMatrixPosition(this.motion.matrixAt(0, node, new Matrix4()));
      box[0].min(at);
      box[1].max(at);
      if (!links.has(this.report.scene!.primitive[i])) largest = Math.max(largest, this.radiusOf(i));
    }
    this.size = Math.max(box[0].distanceTo(box[1]) / 2 + largest, 1e-9);
    if (!(this.radius > 5 * this.size)) return -1;
    let farthest = -1;
    let most = 0;
    for (let node = 0; node < this.motion.nodes.length; node++) {
      const from = new Vector3().setFromMatrixPosition(this.motion.matrixAt(0, node, new Matrix4()));
      at.setFromMatrixPosition(this.motion.matrixAt(this.motion.frames - 1, node, new Matrix4()));
      if (at.distanceTo(from) > most) [most, farthest] = [at.distanceTo(from), node];
    }
    return farthest;
  }

  // Visits all drawables of finite size, in a selection of the frames, with position and size.
  private visit(call: (at: Vector3, size: number) => void): void {
    const scene = this.report.scene;
    const at = new Vector3();
    const matrix = new Matrix4();
    const rows: number[] = [];
    for (let i = 0; i < (scene?.count ?? 0); i++) {
      const still = this.node[2 * i] < 0 && !links.has(scene!.primitive[i]);
      if (!still) rows.push(i);
    }
    const budget = Math.max(Math.floor(200000 / (rows.length + 1)), 2);
    const stride = Math.max(Math.floor(this.motion.frames / Math.min(budget, 80)), 1);
    for (let frame = 0; frame < this.motion.frames; frame += stride) {
      for (const row of rows) {
        const sweep = scene!.primitive[row] === "sweep";
        const solid = !links.has(scene!.primitive[row]) && !sweep;
        const node = this.node[2 * row];
        at.setFromMatrixPosition(this.local[row]);
        if (solid) at.add(this.middleOf(row));
        if (node >= 0) at.applyMatrix4(this.motion.matrixAt(frame, node, matrix));
        const size = solid || sweep ? this.radiusOf(row) : 0;
        call(at, size);
        if (solid) continue;
        const m = this.map.subarray(15 * row + 3, 15 * row + 6);
        const other = this.node[2 * row + 1];
        at.set(m[0], m[1], m[2]);
        if (other >= 0) at.applyMatrix4(this.motion.matrixAt(frame, other, matrix));
        call(at, size);
      }
    }
  }

  // Computes the bounding sphere of the whole motion, and the height of the ground below it.
  private measure(): void {
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = new Vector3(-Infinity, -Infinity, -Infinity);
    this.floor = Infinity;
    this.visit((at, size) => {
      low.set(Math.min(low.x, at.x - size), Math.min(low.y, at.y - size), Math.min(low.z, at.z - size));
      high.set(Math.max(high.x, at.x + size), Math.max(high.y, at.y + size), Math.max(high.z, at.z + size));
      this.floor = Math.min(this.floor, at.dot(this.up) - size);
    });
    if (!Number.isFinite(this.floor)) {
      this.floor = -1;
      return;
    }
    this.center.copy(low).add(high).multiplyScalar(0.5);
    this.radius = 1e-9;
    this.visit((at, size) => {
      this.radius = Math.max(this.radius, at.distanceTo(this.center) + 0.8 * size);
    });
    this.floor -= 0.02 * this.radius;
  }

  // Extends the planes on which bodies roll over the range of the motion; a horizontal one has the grid.
  private spreadPlanes(): void {
    const scene = this.report.scene;
    const [x, y, normal, at] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    for (let i = 0; i < (scene?.count ?? 0); i++) {
      if (scene!.role[i] !== "ground" || scene!.primitive[i] !== "box" || this.node[2 * i] >= 0) continue;
      this.local[i].extractBasis(x, y, normal);
      const thickness = normal.length();
      normal.divideScalar(thickness);
      at.setFromMatrixPosition(this.local[i]).sub(this.center).projectOnVector(normal).add(this.center);
      const edge = 2.5 * this.radius;
      this.local[i].scale(new Vector3(edge / x.length(), edge / y.length(), 1)).setPosition(at);
      if (normal.dot(this.up) > 0.999) this.floor = at.dot(this.up) + thickness / 2 + 2e-3 * this.radius;
    }
  }

  private radiusOf(row: number): number {
    const m = this.map.subarray(15 * row + 6, 15 * row + 15);
    const primitive = this.report.scene!.primitive[row];
    if (primitive === "trace") return 0;
    if (primitive === "sweep") return Math.hypot(...m.subarray(0, 6));
    const whole = Math.hypot(...m);
    return primitive === "ellipsoid" || primitive === "cone" ? Math.max(
      Math.hypot(m[0], m[1], m[2]), Math.hypot(m[3], m[4], m[5]), Math.hypot(m[6], m[7], m[8]),
    ) * (primitive === "cone" ? 0.8 : 1) : whole / 2;
  }

  // From the origin of a primitive to its middle.
  private middleOf(row: number): Vector3 {
    const m = this.map.subarray(15 * row + 6, 15 * row + 15);
    const primitive = this.report.scene!.primitive[row];
    if (primitive === "cone") return new Vector3(m[6], m[7], m[8]).multiplyScalar(0.6);
    if (primitive === "tetrahedron")
      return new Vector3(m[0] + m[3] + m[6], m[1] + m[4] + m[7], m[2] + m[5] + m[8]).multiplyScalar(0.25);
    return new Vector3();
  }

  // Builds the ground with a grid of rounded step; returns the step.
  private buildGround(): number {
    const raw = this.radius / 5;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * (raw / power < 2 ? 1 : raw / power < 5 ? 2 : 5);
    const lines = 2 * Math.ceil((2.2 * this.radius) / step);
    const half = (lines * step) / 2;
    const points: number[] = [];
    for (let i = 0; i <= lines; i++) {
      const x = i * step - half;
      points.push(x, -half, 0, x, half, 0, -half, x, 0, half, x, 0);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    this.grid = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.5 }));
    this.ground = new Mesh(new PlaneGeometry(2 * half, 2 * half), new ShadowMaterial({ opacity: 0.18 }));
    this.ground.receiveShadow = true;
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    const foot = this.center.clone().addScaledVector(this.up, this.floor - this.center.dot(this.up));
    for (const part of [this.grid, this.ground]) {
      part.quaternion.copy(turn);
      part.position.copy(foot);
      this.scene.add(part);
    }
    this.ground.position.addScaledVector(this.up, -1e-3 * this.radius);
    return step;
  }

  // Builds the traces, with fewer points each if there are many; returns the frames between two points.
  private buildTraces(): number {
    const scene = this.report.scene;
    const at = new Vector3();
    const matrix = new Matrix4();
    const traces = scene?.primitive.filter((primitive) => primitive === "trace").length ?? 0;
    const stride = Math.ceil((traces * this.motion.frames) / 30000) || 1;
    for (let i = 0; i < (scene?.count ?? 0); i++) {
      const node = this.node[2 * i];
      if (scene!.primitive[i] !== "trace" || node < 0 || this.motion.frames <= stride) continue;
      const point = new Vector3().setFromMatrixPosition(this.local[i]);
      const points: number[] = [];
      for (let frame = 0; frame < this.motion.frames; frame += stride) {
        at.copy(point).applyMatrix4(this.motion.matrixAt(frame, node, matrix));
        points.push(at.x, at.y, at.z);
      }
      const line = (width: number, opacity: number): Line2 => {
        const material = new LineMaterial({ linewidth: width, transparent: true, opacity });
        const made = new Line2(new LineGeometry().setPositions(points), material);
        made.frustumCulled = false;
        this.scene.add(made);
        return made;
      };
      this.traces.push({ node, point, whole: line(1.6, 0.4), past: line(2.4, 0.95) });
    }
    return stride;
  }

  private buildLights(): void {
    const aside = new Vector3(1, 0.35, 0.2).cross(this.up).normalize();
    this.sun.position.copy(this.center).addScaledVector(this.up, 3 * this.radius).addScaledVector(aside, 1.6 * this.radius);
    this.sun.target.position.copy(this.center);
    this.sky.position.copy(this.up);
    const many = (this.report.scene?.count ?? 0) > 3000;
    this.renderer.shadowMap.enabled = this.sun.castShadow = !many;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 3;
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -1.5 * this.radius;
    camera.right = camera.top = 1.5 * this.radius;
    camera.near = 0.1 * this.radius;
    camera.far = 8 * this.radius;
    this.sun.shadow.normalBias = 0.004 * this.radius;
    this.lamp.position.set(-0.3, 0.4, 1);
    this.camera.add(this.lamp);
    this.scene.add(this.camera, this.sun, this.sun.target, this.sky, new AmbientLight(0xffffff, 0.4));
  }

  // Applies the colours of the theme: one per body; many bodies share a gradient.
  recolour(): void {
    const scene = this.report.scene;
    const bodies = palette();
    const count = this.motion.nodes.length;
    const from = new Color(bodies[0]);
    const to = new Color(bodies[1]);
    const roles: Record<string, Color> = {};
    for (const role of ["joint", "support", "ground", "rod", "spring", "damper", "point"])
      roles[role] = new Color(colour(role));
    const body = (node: number): Color =>
      count > bodies.length
        ? from.clone().lerpHSL(to, count > 1 ? node / (count - 1) : 0)
        : new Color(bodies[node % bodies.length]);
    for (const { mesh, rows } of this.batches) {
      rows.forEach((row, i) => {
        const role = scene!.role[row];
        const own = scene!.color?.[row];
        mesh.setColorAt(i, own ? new Color(own) : (roles[role] ?? body(Math.max(this.node[2 * row], 0))));
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    this.marks?.recolour();
    this.marks?.update(this.time, this.pixel, !this.hidden.has("contact"));
    this.sweeps?.recolour(new Color(colour("rod")));
    this.sweeps?.update(this.time);
    this.traces.forEach((trace, i) => {
      const shade = new Color(bodies[(i + 3) % bodies.length]);
      (trace.whole.material as LineMaterial).color = shade;
      (trace.past.material as LineMaterial).color = shade;
    });
    if (this.shapeLines) (this.shapeLines.material as LineBasicMaterial).color = new Color(colour("muted"));
    const ground = new Color(colour("stage"));
    this.scene.background = ground;
    (this.grid!.material as LineBasicMaterial).color = new Color(colour("grid"));
    (this.ground!.material as ShadowMaterial).opacity = theme() === "dark" ? 0.45 : 0.16;
    this.sky.groundColor = new Color(theme() === "dark" ? "#252c36" : "#8d949e");
    this.invalidate();
  }

  // ---- drawing

  // Moves all drawables to the current positions of their nodes.
  update(time: number): void {
    this.time = time;
    if (this.sweeps) {
      this.sweeps.mesh.visible = !this.hidden.has("beam");
      this.sweeps.update(time);
    }
    const identity = new Matrix4();
    const matrix = new Matrix4();
    // nothing is thinner than about two pixels at the distance of the middle
    this.pixel = this.pixelSize();
    const thinnest = 1.1 * this.pixel;
    const a = new Vector3();
    const b = new Vector3();
    for (const { mesh, rows, link } of this.batches) {
      rows.forEach((row, i) => {
        const node = this.node[2 * row];
        const frame = node >= 0 ? this.motion.matrices[node] : identity;
        if (this.hidden.has(this.report.scene!.role[row])) {
          matrix.makeScale(0, 0, 0);
        } else if (link) {
          const other = this.node[2 * row + 1];
          const m = this.map.subarray(15 * row, 15 * row + 7);
          a.set(m[0], m[1], m[2]).applyMatrix4(frame);
          b.set(m[3], m[4], m[5]).applyMatrix4(other >= 0 ? this.motion.matrices[other] : identity);
          spanned(a, b, Math.max(m[6], thinnest), matrix);
        } else {
          matrix.multiplyMatrices(frame, this.local[row]);
          thicken(matrix, thinnest);
        }
        mesh.setMatrixAt(i, matrix);
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
    this.marks?.update(time, this.pixel, !this.hidden.has("contact"));
    const frame = this.motion.frameAt(time);
    for (const trace of this.traces) {
      trace.whole.visible = trace.past.visible = !this.hidden.has("trace");
      trace.past.geometry.instanceCount = Math.floor(frame / this.traceStride);
    }
    this.keepFollowing();
    this.invalidate();
  }

  // World units per pixel at the point that the camera looks at.
  private pixelSize(): number {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(this.canvas.clientHeight, 1);
  }

  private keepFollowing(): void {
    if (this.followed < 0) return;
    const at = new Vector3().setFromMatrixPosition(this.motion.matrices[this.followed]);
    const shift = at.clone().sub(this.followedAt);
    this.controls.target.add(shift);
    this.camera.position.add(shift);
    this.followedAt.copy(at);
    this.controls.update();
  }

  // Colours beams by one of the stresses of the report; -1: plain colour.
  stress(kind: number): void {
    this.sweeps?.choose(kind);
    this.sweeps?.update(this.time);
    this.invalidate();
  }

  follow(node: number): void {
    this.followed = node;
    if (node < 0) return;
    this.followedAt.setFromMatrixPosition(this.motion.matrices[node]);
    this.camera.position.add(this.followedAt).sub(this.controls.target);
    this.controls.target.copy(this.followedAt);
    this.controls.update();
    this.invalidate();
  }

  show(role: string, visible: boolean): void {
    if (visible) this.hidden.delete(role);
    else this.hidden.add(role);
    if (role === "shape" && this.shapeLines) this.shapeLines.visible = visible;
    if (role === "grid") this.grid!.visible = this.ground!.visible = visible;
    this.invalidate();
  }

  // Shows the whole scene from a corner, or along an axis.
  view(from: "corner" | "x" | "y" | "z"): void {
    const plane = this.report.scene?.plane ?? [0, 0, 0];
    const normal = new Vector3(plane[0], plane[1], plane[2]);
    const axes = { x: new Vector3(1, 0, 0), y: new Vector3(0, -1, 0), z: new Vector3(0, 0, 1) };
    let direction = new Vector3();
    if (from !== "corner") direction.copy(axes[from]);
    else if (normal.length() > 0) {
      // from the side on which the plane is not mirrored: its first axis points to the right
      const right = this.up.clone().cross(normal).toArray();
      const main = right.reduce((most, x) => (Math.abs(x) > Math.abs(most) + 1e-9 ? x : most), 0);
      direction.copy(normal).multiplyScalar(main < 0 ? -1 : 1);
    }
    else {
      const side = Math.abs(this.up.z) > 0.9 ? new Vector3(1, -1.5, 0) : new Vector3(1, 0.4, 1.5);
      direction = side.addScaledVector(this.up, -side.dot(this.up)).normalize().addScaledVector(this.up, 0.42);
    }
    // a view along the vertical needs another upward direction
    if (Math.abs(direction.clone().normalize().dot(this.up)) > 0.999) direction.addScaledVector(axes.y, 1e-3);
    this.look(direction.normalize());
  }

  fit(): void {
    this.look(this.camera.position.clone().sub(this.controls.target).normalize());
  }

  private look(direction: Vector3): void {
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const narrow = Math.min(this.camera.aspect, 1);
    const distance = (1.1 * this.radius) / (Math.sin(Math.atan(half)) * narrow);
    this.controls.target.copy(this.center);
    this.camera.position.copy(this.center).addScaledVector(direction, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.invalidate();
  }

  resize(): void {
    const host = this.canvas.parentElement!;
    const width = Math.max(host.clientWidth, 1);
    const height = Math.max(host.clientHeight, 1);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.render(true); // immediately: a resized canvas is empty
  }

  invalidate(): void {
    this.dirty = true;
  }

  // Draws if something changed.
  render(force = false): void {
    if (!this.dirty && !force) return;
    const zoom = this.pixelSize() / (this.pixel || 1);
    if (zoom > 1.2 || zoom < 0.8) this.update(this.time);
    this.dirty = false;
    this.triad.show(this.camera);
    this.renderer.render(this.scene, this.camera);
  }

  picture(): Promise<Blob | null> {
    this.render(true);
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }
}

// The map of a link of length one along the third axis to one from a to b.
function spanned(a: Vector3, b: Vector3, radius: number, out: Matrix4): void {
  const along = b.clone().sub(a);
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), along.clone().normalize());
  out.compose(a, turn, new Vector3(radius, radius, Math.max(along.length(), 1e-12)));
}

// Scales the axes of a matrix that are shorter than `least`.
function thicken(matrix: Matrix4, least: number): void {
  const e = matrix.elements;
  for (let k = 0; k < 12; k += 4) {
    const length = Math.hypot(e[k], e[k + 1], e[k + 2]);
    if (length >= least || length === 0) continue;
    for (let i = 0; i < 3; i++) e[k + i] *= least / length;
  }
}

// The axes of space in a corner of the stage.
class Triad {
  private readonly lines: SVGLineElement[] = [];
  private readonly names: SVGTextElement[] = [];

  constructor(host: HTMLElement) {
    const space = "http://www.w3.org/2000/svg";
    const picture = document.createElementNS(space, "svg");
    picture.setAttribute("class", "triad");
    picture.setAttribute("viewBox", "-40 -40 80 80");
    picture.setAttribute("aria-hidden", "true");
    for (const name of ["x", "y", "z"]) {
      const line = document.createElementNS(space, "line");
      const text = document.createElementNS(space, "text");
      line.setAttribute("class", name);
      text.setAttribute("class", name);
      text.textContent = name;
      picture.append(line, text);
      this.lines.push(line);
      this.names.push(text);
    }
    host.append(picture);
  }

  show(camera: PerspectiveCamera): void {
    for (let k = 0; k < 3; k++) {
      const axis = new Vector3(k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0).transformDirection(camera.matrixWorldInverse);
      this.lines[k].setAttribute("x2", (26 * axis.x).toFixed(1));
      this.lines[k].setAttribute("y2", (-26 * axis.y).toFixed(1));
      this.names[k].setAttribute("x", (34 * axis.x).toFixed(1));
      this.names[k].setAttribute("y", (4 - 34 * axis.y).toFixed(1));
      this.names[k].style.opacity = Math.hypot(axis.x, axis.y) < 0.15 ? "0" : "1";
    }
  }
}

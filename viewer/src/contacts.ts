// Contacts: dots and arrows of their forces in the stage, and a table with their status over time.
import { Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { bytesOf, floats, integers, type ContactData, type RunReport } from "./data";
import { element, pretty } from "./dom";
import type { Motion } from "./motion";
import { colour } from "./theme";

export const STATUS = ["open", "closed", "slides", "sticks"];
const shade = (status: number): string => `contact-${STATUS[status]}`;

// What every contact does, frame by frame.
export class Contacts {
  readonly names: string[];
  readonly count: number;
  private statuses: Uint8Array;
  private forces: Float32Array;
  private owners: Int32Array;
  private positions: Float32Array;

  constructor(data: ContactData) {
    this.names = data.names;
    this.count = data.names.length;
    this.statuses = bytesOf(data.status);
    this.forces = floats(data.force);
    this.owners = integers(data.owner);
    this.positions = floats(data.point);
  }

  status(frame: number, contact: number): number {
    return this.statuses[frame * this.count + contact];
  }

  force(frame: number, contact: number, out: Vector3): Vector3 {
    return out.fromArray(this.forces, 3 * (frame * this.count + contact));
  }

  get pointCount(): number {
    return this.owners.length;
  }

  // The contact of a touching point, and where it is.
  contactOf(index: number): number {
    return this.owners[index];
  }

  point(frame: number, index: number, out: Vector3): Vector3 {
    return out.fromArray(this.positions, 3 * (frame * this.pointCount + index));
  }

  // The force whose arrow has full length: impacts, which are far above the others, do not set it.
  get unit(): number {
    const sizes: number[] = [];
    const stride = Math.max(Math.ceil(this.forces.length / 3 / 20000), 1);
    for (let i = 0; i < this.forces.length / 3; i += stride) {
      const size = Math.hypot(this.forces[3 * i], this.forces[3 * i + 1], this.forces[3 * i + 2]);
      if (size > 0) sizes.push(size);
    }
    sizes.sort((a, b) => a - b);
    return sizes[Math.floor(0.9 * (sizes.length - 1))] ?? 1;
  }
}

export function contactsOf(report: RunReport): Contacts | undefined {
  return report.frames?.contacts ? new Contacts(report.frames.contacts) : undefined;
}

// Dots at the touching points in the colour of their status, and arrows along the forces.
export class ContactMarks {
  readonly meshes: InstancedMesh[];
  private unit: number;
  private colours: Color[] = [];
  private matrix = new Matrix4();
  private at = new Vector3();
  private along = new Vector3();
  private turn = new Quaternion();

  constructor(
    private contacts: Contacts,
    private motion: Motion,
    private radius: number, // of the model
  ) {
    this.unit = contacts.unit;
    const batch = (geometry: ConstructorParameters<typeof InstancedMesh>[0]): InstancedMesh => {
      const mesh = new InstancedMesh(geometry, new MeshStandardMaterial({ roughness: 0.6, depthTest: false, transparent: true }), contacts.pointCount);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.renderOrder = 2; // visible through the bodies that touch
      return mesh;
    };
    this.meshes = [
      batch(new SphereGeometry(1, 16, 10)),
      batch(new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5)),
      batch(new ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5)),
    ];
  }

  recolour(): void {
    this.colours = STATUS.map((_, status) => new Color(colour(shade(status))));
  }

  update(time: number, pixel: number, visible: boolean): void {
    const frame = this.motion.frameAt(time);
    const longest = 0.35 * this.radius;
    const dot = Math.max(4 * pixel, 0.008 * this.radius);
    for (let i = 0; i < this.contacts.pointCount; i++) {
      const contact = this.contacts.contactOf(i);
      const status = this.contacts.status(frame, contact);
      const size = this.contacts.force(frame, contact, this.along).length();
      this.contacts.point(frame, i, this.at);
      const length = visible && size > 0 ? longest * Math.min(size / this.unit, 1.5) : 0;
      const tip = Math.min(4.5 * dot, 0.5 * length);
      this.turn.setFromUnitVectors(new Vector3(0, 0, 1), size > 0 ? this.along.divideScalar(size) : this.along.set(0, 0, 1));
      const put = (mesh: InstancedMesh, shift: number, width: number, height: number): void => {
        const from = this.at.clone().addScaledVector(this.along, shift);
        if (height > 0) this.matrix.compose(from, this.turn, new Vector3(width, width, height));
        else this.matrix.makeScale(0, 0, 0);
        mesh.setMatrixAt(i, this.matrix);
        mesh.setColorAt(i, this.colours[status] ?? this.colours[0]);
      };
      put(this.meshes[0], 0, dot, visible && status > 0 ? dot : 0);
      put(this.meshes[1], 0, 0.4 * dot, length - tip);
      put(this.meshes[2], length - tip, 1.3 * dot, tip);
    }
    for (const mesh of this.meshes) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
}

// The stretches of time in which a contact has one status.
function stretches(contacts: Contacts, motion: Motion, contact: number): { status: number; from: number; to: number }[] {
  const found: { status: number; from: number; to: number }[] = [];
  for (let frame = 0; frame < motion.frames; frame++) {
    const status = contacts.status(frame, contact);
    const last = found[found.length - 1];
    const until = motion.time[Math.min(frame + 1, motion.frames - 1)];
    if (last?.status === status) last.to = until;
    else found.push({ status, from: motion.time[frame], to: until });
  }
  return found;
}

const SVG = "http://www.w3.org/2000/svg";

function strip(contacts: Contacts, motion: Motion, contact: number): SVGSVGElement {
  const picture = document.createElementNS(SVG, "svg");
  const length = Math.max(motion.end - motion.start, 1e-300);
  picture.setAttribute("viewBox", "0 0 1000 10");
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("role", "img");
  const all = stretches(contacts, motion, contact);
  const shares = STATUS.map((_, status) => all.filter((one) => one.status === status).reduce((sum, one) => sum + one.to - one.from, 0));
  const words = STATUS.map((word, status) => `${word} ${Math.round((100 * shares[status]) / length)} %`).filter((_, status) => shares[status] > 0);
  picture.setAttribute("aria-label", `${contacts.names[contact]}: ${words.join(", ")} of the time`);
  for (const { status, from, to } of all) {
    if (status === 0) continue;
    const bar = document.createElementNS(SVG, "rect");
    bar.setAttribute("x", String((1000 * (from - motion.start)) / length));
    bar.setAttribute("width", String(Math.max((1000 * (to - from)) / length, 1.5)));
    bar.setAttribute("height", "10");
    bar.setAttribute("class", shade(status));
    picture.append(bar);
  }
  return picture;
}

// The table of contacts: status over the whole time, and status and force at the current time. A click on a bar moves
// the animation to that time.
export function contactPanel(
  contacts: Contacts,
  motion: Motion,
  units: string,
  seek: (time: number) => void,
): { panel: HTMLElement; setTime: (time: number) => void } {
  const body = element("tbody");
  const rows = contacts.names.slice(0, 200).map((name, i) => {
    const chip = element("span", { class: "chip" });
    const force = element("td", { class: "number" });
    const head = element("div", { class: "playhead" });
    const bar = element("div", { class: "strip" }, strip(contacts, motion, i), head);
    bar.addEventListener("click", (event) => {
      const box = bar.getBoundingClientRect();
      seek(motion.start + ((event.clientX - box.left) / box.width) * (motion.end - motion.start));
    });
    body.append(element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "wide" }, bar), element("td", {}, chip), force));
    return { chip, force, head };
  });
  const titles = ["contact", "status over time", "now", `force${units ? ` [${units}]` : ""}`];
  const head = element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title))));
  const legend = element("p", { class: "muted" }, ...STATUS.map((word, status) =>
    element("span", { class: `key ${shade(status)}` }, word)), " The force is the mean over a step, with impacts.");
  const panel = element("section", { class: "card", "aria-labelledby": "contacts" },
    element("h2", { id: "contacts" }, "Contacts"), legend,
    element("div", { class: "scroll tall" }, element("table", { class: "contacts" }, head, body)));
  const vector = new Vector3();
  const setTime = (time: number): void => {
    const frame = motion.frameAt(time);
    const part = (time - motion.start) / Math.max(motion.end - motion.start, 1e-300);
    rows.forEach(({ chip, force, head }, i) => {
      const status = contacts.status(frame, i);
      chip.textContent = STATUS[status];
      chip.className = `chip ${shade(status)}`;
      force.textContent = pretty(Number(contacts.force(frame, i, vector).length().toPrecision(4)));
      head.style.left = `${100 * Math.min(Math.max(part, 0), 1)}%`;
    });
  };
  return { panel, setTime };
}

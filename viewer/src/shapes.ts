// States that are no motion, such as equilibria, side by side: lines between the ends of beams, rods and springs.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Matrix4, Vector3 } from "three";
import type { RunReport } from "./data";
import type { Motion } from "./motion";

const MOST = 12;

// `node`: the two nodes of every drawable. Undefined: there is a motion, or nothing to draw.
export function shapesOf(report: RunReport, motion: Motion, node: Int32Array): { lines: LineSegments; count: number } | undefined {
  const scene = report.scene;
  const count = Math.min(motion.frames, MOST);
  if (!report.shows || !scene || count < 2) return undefined;
  const points: number[] = [];
  const at = new Vector3();
  const matrix = new Matrix4();
  for (let k = 0; k < count; k++) {
    const frame = Math.round((k * (motion.frames - 1)) / (count - 1));
    for (let i = 0; i < scene.count; i++) {
      const ends = [node[2 * i], node[2 * i + 1]];
      if (ends.some((end) => end < 0) || !["sweep", "rod"].includes(scene.primitive[i])) continue;
      for (const end of ends) points.push(...at.setFromMatrixPosition(motion.matrixAt(frame, end, matrix)).toArray());
    }
  }
  if (points.length === 0) return undefined;
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  const lines = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.5 }));
  lines.frustumCulled = false;
  return { lines, count };
}

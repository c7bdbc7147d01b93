// Takes the pictures of tools/gallery: opens each report in a browser without a window and saves
// its scene.
//
//   node gallery.mjs PLAN.json      a list of {page, picture}
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const viewer = fileURLToPath(new URL("../viewer/package.json", import.meta.url));
const { chromium } = createRequire(viewer)("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const page = await browser.newPage({ viewport: { width: 600, height: 400 }, colorScheme: "light" });
for (const { page: file, picture } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  await page.goto("about:blank");
  await page.goto(`file://${file}#stage`);
  await page.waitForFunction(() => window.oloid !== undefined);
  await page.evaluate(() => {
    const { motion, player, stage } = window.oloid;
    player.seek(motion.start + 0.45 * (motion.end - motion.start));
    stage.render(true);
  });
  await page.waitForTimeout(150);
  await page.screenshot({ path: picture, type: "jpeg", quality: 82 });
}
await browser.close();

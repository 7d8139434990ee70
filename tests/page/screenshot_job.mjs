// The picture of a job as the service shows it: handed in here, and waited for.
//
// usage: node screenshot_job.mjs ADDRESS FOLDER OUT
//
// FOLDER holds the demo's script and what it imports; both are sent along.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { go, openAddress, withBrowser } from "./browser.mjs";

const [address, folder, out] = process.argv.slice(2);
const [origin, token] = address.split("/#token=");

const files = Object.fromEntries(["torch_ddp.py", "report.py"].map((name) => [name, readFileSync(join(folder, name), "utf8")]));
const request = { script: "torch_ddp.py", workers: 4, files, environment: { LAB_LEAVE_EARLY: "2:5", LAB_STEPS: "12", OMP_NUM_THREADS: "1" } };
const answer = await fetch(`${origin}/v1/jobs`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: JSON.stringify(request) });
const { id } = await answer.json();

await withBrowser(async (browser) => {
  const page = await openAddress(browser, address, { width: 1120, height: 720 });
  await page.waitForSelector(".job-table");
  await go(page, `#/job/${id}`);
  await page.waitForSelector(".evidence a", { timeout: 180_000 });
  await page.screenshot({ path: out });
});

// How fast the timeline of the page moves: frames while zooming and panning over made-up jobs of 1,024 and 10,000 ranks.
//
// usage: LOCKSTEP_PAGE_MODULES=$(tools/page_modules) node tests/bench/page_frames.mjs

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { open, withBrowser } from "../page/browser.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

function number(out, value) {
  while (value >= 128) {
    out.push((value % 128) | 128);
    value = Math.floor(value / 128);
  }
  out.push(value);
}
const signed = (out, value) => number(out, value >= 0 ? value * 2 : -value * 2 - 1);

// Ranks that meet every 10 ms; rank 7 comes late each time and never comes to the last meeting.
function job(ranks, calls) {
  const meetings = { group: [], sequence: [], label: [], all_came_us: [] };
  for (let i = 0; i < calls; i++) {
    meetings.group.push(0);
    meetings.sequence.push(i + 1);
    meetings.label.push(0);
    meetings.all_came_us.push(i === calls - 1 ? -1 : i * 10_000 + 6_000);
  }
  const chunks = [];
  let spans = 0;
  for (let rank = 0; rank < ranks; rank++) {
    const out = [];
    const count = rank === 7 ? calls - 1 : calls;
    number(out, count);
    spans += count;
    let before = 0;
    for (let i = 0; i < count; i++) {
      const begin = i * 10_000 + (rank === 7 ? 6_000 : ((rank * 7919 + i * 104_729) % 5_000));
      number(out, i === calls - 1 ? 0 | (1 << 2) : 0 | (3 << 2));
      signed(out, begin - before);
      number(out, i === calls - 1 ? calls * 10_500 - begin : i * 10_000 + 8_000 - begin);
      signed(out, 0);
      before = begin;
    }
    chunks.push(Buffer.from(out));
  }
  const timeline = {
    begin_ns: "1794779146648985569", seen_us: calls * 10_000, length_us: calls * 10_500, spans, ranks: Array.from({ length: ranks }, (_, i) => i),
    labels: ["all_reduce of float32 [1024]"], sites: [], groups: [{ name: "world", members: [0, ranks] }], meetings,
  };
  const contents = { schema: "lockstep-page-v1", input: "made up", ranks: [], timeline, moments: [], logs: [], losses: [], steps: [], checksums: null, hosts: [], measures: null, bounds: [] };
  const finding = { leaf: "PERF-HANG", code: "desync.missing_rank", scope: "distributed", confidence: 1, root_ranks: [7], victim_ranks: [], title: "Rank 7 is late", explanation: "", evidence: [], fixes: [] };
  return { contents, spans: Buffer.concat(chunks), findings: { schema: "lockstep-findings-v1", job: { framework: "", backend: "", world_size: ranks, ranks_seen: [] }, findings: [finding], limits: [] } };
}

function pageOf({ contents, spans, findings }) {
  const pack = (bytes) => deflateSync(bytes).toString("base64");
  const block = (id, text) => `<script id="lockstep-${id}" type="text/plain">${text}</script>`;
  const data = block("about", '{"version":"bench"}') + block("findings", JSON.stringify(findings)) + block("contents", pack(JSON.stringify(contents))) + block("spans", pack(spans)) + block("catalogue", pack('{"leaves":[],"codes":[]}'));
  return readFileSync(join(root, "page/dist/page.html"), "utf8").replace("<!--lockstep-data-->", () => data);
}

// Runs in the page: zooms in to a hundredth and out again while panning, one change a frame.
async function move(isFolded) {
  const canvas = globalThis.lockstepTimeline;
  canvas.fold(isFolded);
  canvas.showAll();
  canvas.drawNow();
  const gaps = [];
  const draws = [];
  let before = await new Promise(requestAnimationFrame);
  for (let i = 0; i < 240; i++) {
    canvas.view.zoom(i % 120 < 60 ? 0.93 : 1 / 0.93, canvas.view.length * 0.6);
    canvas.view.pan(i % 40 < 20 ? 12 : -12);
    const started = performance.now();
    canvas.drawNow();
    draws.push(performance.now() - started);
    const now = await new Promise(requestAnimationFrame);
    gaps.push(now - before);
    before = now;
  }
  const at = (all, share) => all.slice().sort((a, b) => a - b)[Math.floor(all.length * share)];
  return { quiet: at(draws, 0.1), draw: at(draws, 0.5), draw95: at(draws, 0.95), frame: at(gaps, 0.5), frame95: at(gaps, 0.95) };
}

const folder = mkdtempSync(join(tmpdir(), "lockstep-page-"));
try {
  await withBrowser(async (browser) => {
    for (const [ranks, calls] of [[1024, 2000], [10_000, 200]]) {
      const file = join(folder, `${ranks}.html`);
      const html = pageOf(job(ranks, calls));
      writeFileSync(file, html);
      const started = Date.now();
      const page = await open(browser, file, "#/timeline");
      await page.waitForFunction(() => globalThis.lockstepTimeline?.view.width > 0);
      console.log(`${ranks} ranks x ${calls} calls: file ${(html.length / 1e6).toFixed(1)} MB, open after ${Date.now() - started} ms`);
      for (const isFolded of ranks > 2000 ? [true] : [true, false]) {
        const { quiet, draw, draw95, frame, frame95 } = await page.evaluate(move, isFolded);
        console.log(`  ${isFolded ? "folded" : "every rank"}: drawing ${draw.toFixed(1)} ms (10%: ${quiet.toFixed(1)}, 95%: ${draw95.toFixed(1)}), a frame each ${frame.toFixed(1)} ms (95%: ${frame95.toFixed(1)}); goal 16.7`);
      }
      if (process.env.LOCKSTEP_BENCH_SHOT) await page.screenshot({ path: `${process.env.LOCKSTEP_BENCH_SHOT}-${ranks}.png` });
      await page.context().close();
    }
  });
} finally {
  rmSync(folder, { recursive: true });
}

// Chromium without a network, and the few things every check needs.

import { createRequire } from "node:module";
import { join } from "node:path";

const modules = process.env.LOCKSTEP_PAGE_MODULES;
if (!modules) throw new Error("LOCKSTEP_PAGE_MODULES names no folder; tools/page_modules prints it");
const require = createRequire(join(modules, "x.js"));
const { chromium } = require("playwright-core");
const axeSource = require("axe-core").source;

// A machine that does other things as well may be slow; nothing here waits longer than it must.
export const patience = 60_000;

export async function withBrowser(run) {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    timeout: patience,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
  try {
    return await run(browser);
  } finally {
    await browser.close();
  }
}

// A page that fails the check by any script error, refused resource or request to elsewhere.
export async function open(browser, file, hash = "", options = {}) {
  const page = await newPage(browser, /^(file|data|blob):/, options);
  await page.goto(`file://${file}${hash}`);
  await page.waitForSelector("main *");
  return page;
}

// The same for the page of a service. `allows` are messages that the check means to cause.
export async function openAddress(browser, address, options = {}) {
  const { origin } = new URL(address);
  const page = await newPage(browser, new RegExp(`^(${origin}/|data:|blob:)`), options);
  page.answer = await page.goto(address);
  await page.waitForSelector("main *");
  return page;
}

async function newPage(browser, mayAsk, { width = 1280, height = 860, dark = false, allows = /^$/ }) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", acceptDownloads: true, ignoreHTTPSErrors: true });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(`script: ${error.stack ?? error.message}`));
  page.on("console", (message) => message.type() === "error" && !allows.test(message.text()) && page.faults.push(`console: ${message.text()}`));
  page.on("dialog", (dialog) => {
    page.faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => !mayAsk.test(request.url()) && page.faults.push(`request: ${request.url()}`));
  return page;
}

export async function go(page, hash) {
  await page.evaluate((to) => (location.hash = to), hash);
}

export function expect(condition, says) {
  if (!condition) throw new Error(says);
}

// Nothing that axe-core finds fault with, by WCAG 2.1 AA and its own practice.
export async function expectAccessible(page, what) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
  const says = found.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary.split("\n")[1] ?? ""}`).join("; ")}`);
  expect(says.length === 0, `${what}: ${says.join("\n")}`);
}

// How far things moved that nobody had touched since the page was opened, as browsers count it: 0.1 is theirs for good.
export async function expectNoJumps(page, what) {
  const moved = await page.evaluate(() => new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (sum += entry.hadRecentInput ? 0 : entry.value))).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(sum), 600);
  }));
  expect(moved < 0.05, `${what} jumps by ${moved.toFixed(3)}`);
}

export async function expectNoWider(page, what) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(over <= 0, `${what} is ${over} px too wide`);
}

// Runs each check with a page of its own, and prints one line for each thing that holds.
export async function runChecks(checks) {
  await withBrowser(async (browser) => {
    let failed = 0;
    for (const [says, check] of Object.entries(checks)) {
      try {
        const page = await check(browser);
        expect(page.faults.length === 0, page.faults.join("\n"));
        await page.context().close();
        console.log(`ok: ${says}`);
      } catch (error) {
        failed += 1;
        console.log(`FAIL: ${says}\n${error.stack ?? error}`);
      }
    }
    process.exitCode = failed > 0 ? 1 : 0;
  });
}

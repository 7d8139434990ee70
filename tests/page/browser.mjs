// Chromium without a network, and the few things every check needs.

import { createRequire } from "node:module";
import { join } from "node:path";

const modules = process.env.LOCKSTEP_PAGE_MODULES;
if (!modules) throw new Error("LOCKSTEP_PAGE_MODULES names no folder; tools/page_modules prints it");
const require = createRequire(join(modules, "x.js"));
const { chromium } = require("playwright-core");
export const axeSource = require("axe-core").source;

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

// A page that fails the check by any script error, refused resource or request.
export async function open(browser, file, hash = "", options = {}) {
  const { width = 1280, height = 860, dark = false } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(`script: ${error.stack ?? error.message}`));
  page.on("console", (message) => message.type() === "error" && page.faults.push(`console: ${message.text()}`));
  page.on("dialog", (dialog) => {
    page.faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => !/^(file|data|blob):/.test(request.url()) && page.faults.push(`request: ${request.url()}`));
  await page.goto(`file://${file}${hash}`);
  await page.waitForSelector("main *");
  return page;
}

export async function go(page, hash) {
  await page.evaluate((to) => (location.hash = to), hash);
}

export function expect(condition, says) {
  if (!condition) throw new Error(says);
}

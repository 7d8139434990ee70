// Checks each view of reports in a real browser, and prints one line for each thing that holds.
//
// usage: node check.mjs DEMO HOSTILE FINDINGS HEALTHY HOSTS
//
// DEMO is a report of a recording whose rank 2 left the loop, HOSTILE of a log that tries to be a script, FINDINGS of a
// findings file alone, HEALTHY of one without findings, HOSTS of a check of hosts that do not all reach each other.

import { readFileSync } from "node:fs";
import { expect, expectAccessible, expectNoWider, go, open, runChecks } from "./browser.mjs";

const [demo, hostile, findings, healthy, hosts] = process.argv.slice(2);
const views = ["findings", "timeline", "logs", "performance", "catalogue"];

const checks = {
  async "the verdict comes first and names the rank that began it"(browser) {
    const page = await open(browser, demo);
    const title = await page.textContent("h1");
    expect(/Rank 2 brought barrier/.test(title), `the title is: ${title}`);
    expect((await page.textContent(".who")).includes("rank 2 began it"), "who began it is not said");
    expect((await page.locator(".fixes > li").count()) >= 2, "there are no fixes");
    return page;
  },

  async "evidence leads to the moment on the timeline"(browser) {
    const page = await open(browser, demo);
    await page.click(".evidence a");
    await page.waitForSelector(".chosen-call h2:has-text('Rank 2: barrier')");
    await page.waitForSelector(".stuck-list >> text=all_reduce");
    return page;
  },

  async "the timeline is used by keys alone"(browser) {
    const page = await open(browser, demo, "#/timeline");
    await page.waitForFunction(() => globalThis.lockstepTimeline?.view.width > 0);
    const span = () => page.evaluate(() => lockstepTimeline.view.to - lockstepTimeline.view.from);
    const all = await span();
    await page.focus(".canvas canvas");
    await page.keyboard.press("+");
    expect((await span()) < all, "plus does not zoom");
    await page.keyboard.press("0");
    expect((await span()) === all, "0 does not show all");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "."]) await page.keyboard.press(key);
    await page.waitForSelector(".chosen-call h2:has-text('Rank 2:')");
    return page;
  },

  async "the trace that is exported is a Chrome trace of every rank"(browser) {
    const page = await open(browser, demo, "#/timeline");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Export trace")]);
    const trace = JSON.parse(readFileSync(await download.path(), "utf8"));
    const ranks = new Set(trace.traceEvents.map((event) => event.pid));
    expect(ranks.size === 4, `the trace has ${ranks.size} ranks`);
    expect(trace.traceEvents.some((event) => event.name === "barrier #11" && event.args.unfinished), "the barrier is not in it");
    return page;
  },

  async "logs are searched and followed to the line"(browser) {
    const page = await open(browser, demo, "#/logs");
    await page.keyboard.press("/");
    await page.keyboard.type("rank=2 step=4");
    await page.waitForSelector("text=1 line found");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".line.chosen mark");
    expect((await page.textContent(".line-detail pre")).includes("loss="), "the line is not shown in full");
    return page;
  },

  async "losses and step times of every rank are drawn"(browser) {
    const page = await open(browser, demo, "#/performance");
    await page.waitForSelector(".uplot canvas >> nth=1");
    for (const rank of [0, 1, 3]) await page.waitForSelector(`.u-legend >> text=rank ${rank}`);
    await page.waitForSelector("table.numbers tbody tr");
    return page;
  },

  async "the catalogue is searched, and findings lead into it"(browser) {
    const page = await open(browser, demo);
    await page.click(".kicker a");
    await page.waitForSelector(".entry .title");
    await page.fill(".side input", "watchdog timeout allreduce");
    await page.click(".index a:has-text('hang.watchdog')");
    await page.waitForSelector(".entry h2:has-text('A collective did not finish in time')");
    return page;
  },

  async "a hostile log is shown and does nothing"(browser) {
    const page = await open(browser, hostile, "#/logs");
    await page.waitForSelector(".line >> nth=3");
    const text = await page.textContent(".lines");
    expect(text.includes("<script>document.title='owned'</script>"), "the tag is not shown as text");
    expect(text.includes("\u241b[31m"), "the terminal code is not made visible");
    expect(!text.includes("\u001b"), "a raw escape is in the page");
    expect(!(await page.title()).includes("owned"), "a script of the log ran");
    expect((await page.locator("main img, main script, main iframe").count()) === 0, "the log made elements");
    await page.click(".line:has-text('xxxxxxxx')");
    expect((await page.textContent(".line-detail")).includes("more bytes are in the file"), "the long line is not said to be cut");
    return page;
  },

  async "a findings file alone says what it does not have"(browser) {
    const page = await open(browser, findings);
    expect((await page.locator(".finding").count()) > 0, "there is no finding");
    await go(page, "#/timeline");
    await page.waitForSelector("text=No times of ranks were read");
    await go(page, "#/logs");
    await page.waitForSelector("text=No logs were read");
    return page;
  },

  async "no finding is good news, and says so"(browser) {
    const page = await open(browser, healthy);
    await page.waitForSelector("h1:has-text('Nothing wrong was found')");
    return page;
  },

  async "a blocked connection between hosts tells what decides it"(browser) {
    const page = await open(browser, hosts);
    await page.focus(".host-table td.blocked button");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".decides pre:has-text('-A INPUT -s 10.0.0.3/32')");
    await expectAccessible(page, "the table");
    return page;
  },

  async "nothing is wider than a narrow screen"(browser) {
    const page = await open(browser, demo, "", { width: 390, height: 844 });
    for (const view of views) {
      await go(page, `#/${view}`);
      await page.waitForSelector(`nav a[aria-current][href="#/${view}"]`);
      await expectNoWider(page, view);
    }
    return page;
  },
};

for (const dark of [false, true]) {
  checks[`every view is accessible, ${dark ? "dark" : "light"}`] = async (browser) => {
    const page = await open(browser, demo, "", { dark });
    for (const view of views) {
      await go(page, `#/${view}`);
      await page.waitForSelector(`nav a[aria-current][href="#/${view}"]`);
      await expectAccessible(page, view);
    }
    return page;
  };
}

await runChecks(checks);

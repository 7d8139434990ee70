// Checks each view of reports in a real browser, and prints one line for each thing that holds.
//
// usage: node check.mjs DEMO HOSTILE FINDINGS HEALTHY HOSTS MEASURED
//
// DEMO is a report of a recording whose rank 2 left the loop, HOSTILE of a log that tries to be a script, FINDINGS of a
// findings file alone, HEALTHY of one without findings, HOSTS of a check of hosts that do not all reach each other, MEASURED
// of one that measured six hosts: host2 does not reach host1, host4 sends slowly.

import { readFileSync } from "node:fs";
import { expect, expectAccessible, expectNoJumps, expectNoWider, go, open, runChecks } from "./browser.mjs";

const [demo, hostile, findings, healthy, hosts, measured] = process.argv.slice(2);
const views = ["findings", "timeline", "logs", "performance", "catalogue"];

const checks = {
  async "the verdict comes first and names the root cause"(browser) {
    const page = await open(browser, demo);
    const title = await page.textContent("h1");
    expect(/Rank 2 (brought|called) barrier/.test(title), `the title is: ${title}`);
    expect((await page.textContent(".who")).includes("Root cause: ▶ rank 2"), "who began it is not said");
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
    await page.focus(".canvas canvas");
    await page.keyboard.press("0");
    const all = await span();
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
    await page.focus(".host-table td[tabindex='0']");
    expect(await page.evaluate(() => document.activeElement.className === "blocked"), "the tab key does not lead to a blocked cell");
    await page.waitForSelector(".decides pre:has-text('-A INPUT -s 10.0.0.3/32')");
    expect((await page.locator("text=Latency").count()) === 0, "a map is offered of what was not measured");
    await expectAccessible(page, "the table");
    return page;
  },

  async "latency and bandwidth of every pair are a map, told by figures and used by keys"(browser) {
    const page = await open(browser, measured);
    await page.waitForSelector(".host-table td.blocked");
    await page.focus("text=Bandwidth");
    await page.keyboard.press("Enter");
    expect((await page.getAttribute("text=Bandwidth", "aria-pressed")) === "true", "the choice is not told");
    await page.waitForSelector(".explanation:has-text('host4 to host3 with 22.6')");
    const figures = await page.locator(".host-table tbody tr:nth-child(5) td").allTextContents();
    expect(figures.join() === "23.9,23.9,23.0,22.6,,24.0", `host4 sends: ${figures}`);
    await page.keyboard.press("Tab");
    await page.waitForSelector(".decides:has-text('host4 to host3: 22.6 MB/s, step 5 of 5')");
    for (const key of ["ArrowUp", "ArrowUp", "Home", "ArrowRight"]) await page.keyboard.press(key);
    await page.waitForSelector(".decides:has-text('host2 to host1: not measured: the connection to port 1026 for MPI got no answer at all')");
    expect((await page.locator(".host-table td[tabindex='0']").count()) === 1, "the table is more than one stop of the tab key");
    await page.click("text=Latency");
    await page.waitForSelector(".host-table td.step-5:has-text('729')");
    expect((await page.locator(".scale li").count()) === 5, "the scale is not explained");
    return page;
  },

  async "no view jumps while it is filled"(browser) {
    let page;
    for (const width of [1280, 390]) {
      for (const view of views) {
        await page?.context().close();
        page = await open(browser, demo, `#/${view}`, { width });
        await expectNoJumps(page, `${view} at ${width} px`);
      }
    }
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
  checks[`the maps are accessible, ${dark ? "dark" : "light"}`] = async (browser) => {
    const page = await open(browser, measured, "", { dark, width: 390, height: 844 });
    for (const map of ["Blocked", "Latency", "Bandwidth"]) {
      await page.click(`text=${map}`);
      await expectAccessible(page, map);
      await expectNoWider(page, map);
    }
    return page;
  };
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

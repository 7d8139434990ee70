// Checks in a real browser what the page shows of ranks that failed, and prints one line for each thing that holds.
//
// usage: node check_faults.mjs RAISED SHAPES PROSE EPOCHS
//
// RAISED is a report of a recording whose rank 1 of 3 raised an exception, SHAPES of one whose rank 2 of 3 reduced another shape
// than the others, PROSE of a findings file whose texts are Markdown and try to be more, EPOCHS of a log that tells losses by
// epoch and nothing else.

import { expect, expectAccessible, expectNoWider, go, open, runChecks } from "./browser.mjs";

const [raised, shapes, prose, epochs] = process.argv.slice(2);

async function timeline(browser, file, options) {
  const page = await open(browser, file, "#/timeline", options);
  await page.waitForFunction(() => globalThis.lockstepTimeline?.view.width > 0);
  return page;
}

// Where on the screen a moment of a rank is.
const placeOf = (page, rank, time) => page.evaluate(([rank, time]) => {
  const { view } = lockstepTimeline;
  const { left, top } = document.querySelector(".canvas canvas").getBoundingClientRect();
  return { x: left + view.x(time), y: top + view.y(rank) + view.rowHeight / 2 };
}, [rank, time]);

const checks = {
  async "a rank that ended is marked with how, and nothing behind it looks like work"(browser) {
    const page = await timeline(browser, raised);
    const stop = await page.evaluate(() => lockstepTimeline.spans.facts.stops[1]);
    // An exception leaves with status 1; PyTorch 2.13 may abort on the way out.
    expect(/^(exited 1|killed by SIGABRT)$/.test(stop?.words) && stop.was_bad, `rank 1 ended: ${JSON.stringify(stop)}`);
    await page.waitForSelector(".legend >> text=process ended");
    const [behind, ended, plot] = await page.evaluate((at) => {
      const { view } = lockstepTimeline;
      lockstepTimeline.drawNow();
      const canvas = document.querySelector(".canvas canvas");
      const x = (view.x(at) + view.width) / 2;
      const pixel = canvas.getContext("2d").getImageData(x * devicePixelRatio, (view.y(1) + 3) * devicePixelRatio, 1, 1).data;
      const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      return ["#" + [...pixel].slice(0, 3).map((part) => part.toString(16).padStart(2, "0")).join(""), style("--ended"), style("--plot")];
    }, stop.at_us);
    expect(behind === ended && ended !== plot, `behind the end the colour is ${behind}, not ${ended}`);
    return page;
  },

  async "one fault is one story: where it happened, and what followed folded below it"(browser) {
    const page = await open(browser, raised);
    expect((await page.locator(".verdicts > .finding").count()) === 1, "the exception and what it led to stand beside each other");
    await page.waitForSelector(".code-places:has-text('train.py:')");
    const followers = page.locator(".followers details");
    expect((await followers.count()) > 0, "nothing is told of what followed");
    expect(!(await followers.first().locator(".evidence").isVisible()), "what followed is not folded");
    await followers.first().locator("summary").click();
    await followers.first().locator(".evidence").waitFor();
    await expectAccessible(page, "a story");
    return page;
  },

  async "few ranks fill the height, and the steps the width"(browser) {
    const page = await timeline(browser, shapes);
    const { rows, plot, from, folded } = await page.evaluate(() => {
      const { view, rows, folded } = lockstepTimeline;
      return { rows: rows.length * view.rowHeight, plot: view.plotHeight, from: view.from, folded: folded.from };
    });
    expect(rows > plot * 0.8, `the rows take ${rows} of ${plot} px`);
    expect(folded > 0 && from === folded, "the start-up is not folded");
    await page.click("text=/start-up, /");
    expect((await page.evaluate(() => lockstepTimeline.view.from)) === 0, "the start-up does not come back");
    return page;
  },

  async "hovering shows the call, its shape and its line in the script"(browser) {
    const page = await timeline(browser, shapes);
    const { begin, to } = await page.evaluate(() => {
      const { spans, view } = lockstepTimeline;
      const span = [...Array(spans.facts.spans).keys()].find((one) => spans.rankOf(one) === 0 && spans.isUnfinished(one));
      return { begin: spans.begin[span], to: Math.min(view.to, spans.end[span]) };
    });
    const wait = await placeOf(page, 0, (begin + to) / 2);
    await page.mouse.move(wait.x, wait.y);
    await page.waitForSelector(".hover-card:has-text('rank 0: all_reduce')");
    await page.waitForSelector(".hover-card code:has-text('train.py:')");
    await page.waitForSelector(".hover-card:has-text('[577]')");
    const end = await placeOf(page, 2, await page.evaluate(() => (lockstepTimeline.spans.facts.stops[2].at_us + lockstepTimeline.view.to) / 2));
    await page.mouse.move(end.x, end.y);
    await page.waitForSelector(".hover-card:has-text('rank 2: killed by')");
    return page;
  },

  async "where ranks stand at the end is told with shapes and lines"(browser) {
    const page = await timeline(browser, shapes);
    const odd = await page.textContent(".stuck-list li.guilty");
    expect(/Rank 2 (waits|was) in all_reduce #\d+ of float32 \[1\]/.test(odd) && /train\.py:\d+/.test(odd), `it says: ${odd}`);
    const others = await page.textContent(".stuck-list li:not(.guilty)");
    expect(/Ranks 0–1 (wait|were) in all_reduce #\d+ of float32 \[577\]/.test(others) && /train\.py:\d+/.test(others), `it says: ${others}`);
    return page;
  },

  async "both sides of a mismatch stand beside each other, with the lines of the script"(browser) {
    const page = await open(browser, shapes);
    const sides = page.locator(".finding.first .call-sides figure");
    expect((await sides.count()) === 2, `there are ${await sides.count()} sides`);
    expect(/dist\.all_reduce\(torch\.ones\(577\)\)/.test(await sides.nth(0).locator(".called").textContent()), "the line of most ranks is not shown");
    expect(/dist\.all_reduce\(torch\.ones\(1\)\)/.test(await page.textContent(".call-sides figure.guilty .called")), "the odd line is not shown");
    await expectAccessible(page, "the sides");
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoWider(page, "the sides");
    return page;
  },

  async "a wait that never ends counts, and every rank has a row"(browser) {
    const page = await open(browser, shapes, "#/performance");
    await page.waitForSelector("table.numbers tbody tr");
    const rows = await page.locator("table.numbers tbody tr").allTextContents();
    expect(rows.length === 3, `there are ${rows.length} rows`);
    expect(/^▶ 2.*and still wait/.test(rows[0]), `the first row is: ${rows[0]}`);
    expect((await page.locator(".performance h2:has-text('Checksum')").count()) === 0, "a panel without data is shown");
    return page;
  },

  async "losses that are told by epoch are drawn by epoch"(browser) {
    const page = await open(browser, epochs, "#/performance");
    await page.waitForSelector(".uplot canvas");
    expect((await page.getAttribute(".lines-plot", "aria-label")) === "Loss of 1 rank by epoch", "the axis says something else");
    expect((await page.textContent(".u-legend")).includes("epoch"), "the legend says something else");
    expect((await page.locator(".performance h2").count()) === 1, "there are panels without data");
    return page;
  },

  async "Markdown of fixes is shown as it was meant, and cannot become more"(browser) {
    const page = await open(browser, prose);
    const step = page.locator(".fixes li li").nth(0);
    expect((await step.locator("code").textContent()) === "if rank == 0", "code is not shown as such");
    expect((await step.locator("b").textContent()) === "every rank", "bold is not shown as such");
    expect((await step.locator("a").getAttribute("href")) === "https://example.invalid/a", "the link leads elsewhere");
    const text = await page.textContent(".fixes");
    expect(!text.includes("`") && !text.includes("**every"), `marks are left: ${text}`);
    expect(text.includes("<img src=x onerror=alert(1)>"), "a tag is not shown as text");
    const links = await page.evaluate(() => [...document.querySelectorAll(".fixes a")].map((link) => link.getAttribute("href")));
    expect(links.every((link) => /^https?:\/\//.test(link)), `links: ${links}`);
    expect((await page.locator(".fixes img, .fixes script, .fixes svg").count()) === 0, "a text made elements");
    return page;
  },

  async "the theme is an icon with a name, and internals are not shown"(browser) {
    const page = await timeline(browser, raised);
    expect((await page.getAttribute(".theme", "aria-label")) === "Theme: as the system", "the switch has no name");
    await page.keyboard.press("t");
    expect((await page.getAttribute(".theme", "aria-label")) === "Theme: light", "the name does not change");
    const text = await page.textContent("#app");
    expect(!/\bspans\b/.test(text) && !/\buid:/.test(text), "internals are shown");
    return page;
  },
};

for (const dark of [false, true]) {
  checks[`every view is accessible, ${dark ? "dark" : "light"}`] = async (browser) => {
    const page = await open(browser, shapes, "", { dark });
    for (const view of ["findings", "timeline", "performance"]) {
      await go(page, `#/${view}`);
      await page.waitForSelector(`nav a[aria-current][href="#/${view}"]`);
      await expectAccessible(page, view);
    }
    return page;
  };
}

await runChecks(checks);

// The README's picture: the end of a job on the timeline.
//
// usage: node screenshot.mjs REPORT OUT

import { open, withBrowser } from "./browser.mjs";

const [report, out] = process.argv.slice(2);
await withBrowser(async (browser) => {
  const page = await open(browser, report, "", { width: 1120, height: 620 });
  await page.click("text=See it on the timeline");
  await page.click(".stuck-list button >> nth=0");
  await page.waitForSelector(".chosen-call dl");
  await page.screenshot({ path: out });
});

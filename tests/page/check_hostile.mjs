// Opens every view of jobs whose every word tries to act: none makes an element, runs a script or asks for anything.
//
// usage: node check_hostile.mjs ADDRESS MARK JOB...
//
// ADDRESS is what `lockstep serve --page` printed, MARK a word that stands in what each JOB says.

import { expect, go, openAddress, runChecks } from "./browser.mjs";

const [address, mark, ...jobs] = process.argv.slice(2);
const views = ["", "/logs", "/timeline", "/performance", "/network"];

// What runs does one of these.
async function expectInert(page, where) {
  const acted = await page.evaluate(() => ({
    owned: globalThis.owned ?? null,
    elements: document.querySelectorAll("main script, main iframe, main object, main embed, main form[action], main base, main link, main meta, main [onerror], main [onload], main [onclick], main [srcdoc], main style").length,
    images: [...document.querySelectorAll("main img")].length,
    links: [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href")).filter((place) => !/^(#|https?:\/\/|data:image\/svg|blob:)/.test(place)),
  }));
  expect(acted.owned === null, `${where}: a script ran`);
  expect(acted.elements === 0 && acted.images === 0, `${where}: ${acted.elements} elements and ${acted.images} images were made`);
  expect(acted.links.length === 0, `${where}: links to ${acted.links}`);
}

const checks = {};
for (const [number, job] of jobs.entries()) {
  checks[`hostile job ${number} is shown and does nothing`] = async (browser) => {
    const page = await openAddress(browser, address, { allows: /status of 404/ });
    await page.waitForSelector(".job-table");
    await expectInert(page, "the list of jobs");
    for (const view of views) {
      await go(page, `#/job/${job}${view}`);
      await page.waitForFunction((id) => document.querySelector("main")?.textContent.includes(id), job);
      if (view === "/logs") await page.waitForSelector(".line >> nth=0");
      await page.waitForTimeout(300); // whatever would act has had its time
      await expectInert(page, `job ${number}${view}`);
      if (view === "" || view === "/logs") expect((await page.textContent("main")).includes(mark), `job ${number}${view}: what it says is not shown`);
    }
    return page;
  };
}

await runChecks(checks);

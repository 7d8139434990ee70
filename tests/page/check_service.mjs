// Checks the page of a service in a real browser, and prints one line for each thing that holds.
//
// usage: node check_service.mjs ADDRESS SCRIPT WELL HOSTILE HUNG
//
// ADDRESS is what `lockstep serve --page` printed, SCRIPT one whose rank 1 fails, WELL the id of a job that ended well,
// HOSTILE a shell script that goes on printing what tries to be a script of the page, HUNG the id of a recorded job whose
// rank 1 left the loop. The jobs run one after the other:
// the machine may have room for one.

import { readFileSync } from "node:fs";
import { expect, expectAccessible, expectNoWider, go, openAddress, runChecks } from "./browser.mjs";

const [address, script, well, hostileScript, hung] = process.argv.slice(2);
const [origin, token] = address.split("/#token=");
let failedJob = "";
let hostile = "";
let triedAgain = "";

const refused = /status of 4\d\d/;
const at = (hash) => `${origin}/${hash}`;

async function submitted(request) {
  const answer = await fetch(`${origin}/v1/jobs`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: JSON.stringify(request) });
  return (await answer.json()).id;
}

// With the key in the tab already.
async function enter(browser, hash, options) {
  const page = await openAddress(browser, address, options);
  await page.waitForSelector(".job-list");
  await go(page, hash);
  return page;
}

const checks = {
  async "the page has a strict policy, and the key is in this tab alone"(browser) {
    const page = await openAddress(browser, address);
    const policy = page.answer.headers()["content-security-policy"];
    for (const part of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "script-src 'sha256-"]) expect(policy.includes(part), `the policy is: ${policy}`);
    expect(!policy.includes("unsafe"), `the policy is: ${policy}`);
    await page.waitForSelector(".job-list");
    expect(!page.url().includes(token), `the address is ${page.url()}`);
    const kept = await page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length]);
    expect(JSON.stringify(kept) === '["",0,1]', `kept: ${kept}`);
    expect(!(await page.content()).includes(token), "the key stands in the page");
    return page;
  },

  async "a stranger is asked who they are, and may show a token"(browser) {
    const page = await openAddress(browser, at("#/jobs"), { allows: refused });
    await page.waitForSelector("h1:has-text('Who are you?')");
    await expectAccessible(page, "the question");
    await page.fill("#token", "wrong");
    await page.keyboard.press("Enter");
    await page.waitForSelector("h1:has-text('Who are you?')");
    await page.fill("#token", token);
    await page.keyboard.press("Enter");
    await page.waitForSelector(`.job-table a[href="#/job/${well}"]`);
    return page;
  },

  async "a refusal stands beside its field"(browser) {
    const page = await enter(browser, "#/submit", { allows: refused });
    await page.fill("#job-script", "/nowhere/train.py");
    await page.click(".submit button[type=submit]");
    await page.waitForSelector("#job-script-fault:has-text('cannot be read')");
    expect(await page.evaluate(() => document.activeElement.id === "job-script"), "the field has not the focus");
    return page;
  },

  async "a script and a number of ranks are enough, and a failure is explained"(browser) {
    const page = await enter(browser, "#/jobs");
    await page.keyboard.press("2");
    await page.waitForFunction(() => document.activeElement?.id === "job-script");
    await page.keyboard.type(script);
    await page.fill("#job-workers", "3");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".job-head .pill");
    failedJob = /#\/job\/(job_\w+)/.exec(page.url())[1];
    await page.waitForSelector(".job-head .pill.failed");
    await page.waitForSelector(".kicker >> text=script.exception");
    expect((await page.textContent(".who")).includes("Root cause: ▶ rank 1"), "who began it is not said");
    expect((await page.textContent(".rank-states")).includes("Rank 1 failed first"), "the ranks are not shown");
    expect((await page.locator(".fixes > li").count()) > 0, "there are no fixes");
    for (const event of ["queued 3 ranks", "started attempt 1 with 3 ranks", "failed"]) await page.waitForSelector(`.events li:has-text('${event}')`);
    await page.waitForSelector(".choices dt:has-text('rendezvous')");
    return page;
  },

  async "the list tells date, owner and what was found"(browser) {
    const page = await enter(browser, "#/jobs");
    const row = page.locator(`.job-table tr:has(a[href="#/job/${failedJob}"])`);
    await row.locator(".reason b").waitFor();
    const found = await (await fetch(`${origin}/v1/jobs/${failedJob}`, { headers: { Authorization: `Bearer ${token}` } })).json();
    const plain = (text) => text.replace(/[`*]/g, "");
    const title = plain(found.diagnosis.findings[0].title);
    expect((await row.locator(".reason b").textContent()) === title, `the list says: ${await row.locator(".reason").textContent()}`);
    expect(/^\d+ [A-Z][a-z]{2,3} \d\d:\d\d$/.test(await row.locator("time").textContent()), "the date is not told");
    const owner = await row.locator("[data-label=Owner]").textContent();
    expect(owner.length > 0 && !owner.startsWith("uid:"), `the owner is: ${owner}`);
    return page;
  },

  async "the form has all that the command line has"(browser) {
    const page = await enter(browser, "#/submit", { allows: refused });
    let sent;
    await page.route("**/v1/jobs", (route) => {
      sent = route.request().postDataJSON();
      return route.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify({ title: "No", errors: [{ pointer: "/account", detail: "is not known" }] }) });
    });
    await page.evaluate(() => document.querySelectorAll(".submit details").forEach((group) => (group.open = true)));
    const fields = {
      script: "train.py", args: "--name 'a b' --lr 0.1", workers: "2:4", gpus_per_worker: "1", cpus_per_worker: "2", memory_per_worker: "8G", memory_most: "16G",
      python: "/usr/bin/python3", directory: "/tmp", environment: "A=1\nB=two words", retries: "1", repairs: "2", time_limit_s: "1h 30m", checkpoint_directory: "/tmp/c",
      priority: "-5", labels: "team=vision", nodes: "2", partition: "gpu", account: "x",
    };
    for (const [name, value] of Object.entries(fields)) await page.fill(`#job-${name}`, value);
    await page.selectOption("#job-framework", "pytorch");
    await page.selectOption("#job-engine", "slurm");
    await page.setInputFiles("input[multiple]", [{ name: "model.py", mimeType: "text/plain", buffer: Buffer.from("x = 1\n") }, { name: "weights.bin", mimeType: "", buffer: Buffer.from([255, 254, 0]) }]);
    await page.waitForSelector("#job-files-says:has-text('2 files')");
    await page.click(".submit button[type=submit]");
    await page.waitForSelector("#job-account-fault:has-text('It is not known.')");
    const wanted = {
      script: "train.py", args: ["--name", "a b", "--lr", "0.1"], workers: { min: 2, max: 4 }, gpus_per_worker: 1, cpus_per_worker: 2, memory_per_worker: 8 * 2 ** 30, memory_most: 16 * 2 ** 30,
      framework: "pytorch", python: "/usr/bin/python3", directory: "/tmp", environment: { A: "1", B: "two words" }, retries: 1, repairs: 2, time_limit_s: 5400, checkpoint_directory: "/tmp/c",
      priority: -5, labels: { team: "vision" }, engine: "slurm", nodes: 2, partition: "gpu", account: "x", files: { "model.py": "x = 1\n", "weights.bin": { base64: "//4A" } },
    };
    for (const [name, value] of Object.entries(wanted)) expect(JSON.stringify(sent[name]) === JSON.stringify(value), `${name} is sent as ${JSON.stringify(sent[name])}`);
    expect(Object.keys(sent).length === Object.keys(wanted).length, `sent: ${Object.keys(sent)}`);
    sent = undefined;
    await page.fill("#job-memory_per_worker", "much");
    await page.click(".submit button[type=submit]");
    await page.waitForSelector("#job-memory_per_worker-fault:has-text('not a size')");
    expect(sent === undefined, "what cannot be read is sent all the same");
    await expectAccessible(page, "the form");
    return page;
  },

  async "a link to a job leads there, with the key"(browser) {
    const page = await openAddress(browser, `${address}/job/${failedJob}`);
    await page.waitForSelector(".job-head .pill.failed");
    expect(page.url() === `${origin}/#/job/${failedJob}`, `the address is ${page.url()}`);
    return page;
  },

  async "evidence leads to its line in the log"(browser) {
    const page = await enter(browser, `#/job/${failedJob}`);
    await page.click(".evidence a:has-text('rank_1.err')");
    await page.waitForSelector(".line.chosen.evidence-line");
    const line = await page.textContent(".line-detail pre");
    expect(/learning rate must be positive|Traceback|raise ValueError/.test(line), `the line is: ${line}`);
    return page;
  },

  async "evidence that is a call leads to its moment on the timeline"(browser) {
    const page = await enter(browser, `#/job/${hung}`);
    await page.click(".evidence a[title='Show the moment on the timeline']");
    await page.waitForURL((url) => url.hash.startsWith(`#/job/${hung}/timeline?`) && url.hash.includes("at="));
    await page.waitForSelector(".chosen-call h2:has-text('Rank 1: barrier')");
    return page;
  },

  async "the network of a job on one host says that there is nothing between hosts"(browser) {
    const page = await enter(browser, `#/job/${failedJob}`);
    await page.click(".parts a:has-text('Network')");
    await page.waitForSelector(".network h2:has-text('All 3 ranks run on one host')");
    await page.waitForSelector(".network pre:has-text('lockstep check --probe-matrix')");
    return page;
  },

  async "the code of a finding leads into the catalogue"(browser) {
    const page = await enter(browser, `#/job/${failedJob}`);
    await page.click(".kicker a:has-text('script.exception')");
    await page.waitForSelector(".entry .code:has-text('script.exception')");
    return page;
  },

  async "a log is followed while it is printed, and hostile lines do nothing"(browser) {
    hostile = await submitted({ command: ["/bin/sh", hostileScript], workers: 2 });
    const page = await enter(browser, `#/job/${hostile}/logs`);
    await page.waitForSelector(".standing.open");
    const last = () => page.evaluate(() => Math.max(0, ...[...document.querySelectorAll(".line .text")].map((line) => Number(/^tick (\d+)/.exec(line.textContent)?.[1] ?? 0))));
    await page.waitForSelector(".line >> text=tick");
    const before = await last();
    await page.waitForFunction((from) => [...document.querySelectorAll(".line .text")].some((line) => Number(/^tick (\d+)/.exec(line.textContent)?.[1]) > from + 3), before);
    await page.focus(".lines");
    await page.keyboard.press("f");
    expect((await page.getAttribute("text=Follow", "aria-pressed")) === "false", "f does not stop following");
    await page.evaluate(() => (document.querySelector(".lines").scrollTop = 0));
    await page.waitForSelector(".line >> text=<script>document.title='owned'</script>");
    const text = await page.textContent(".lines");
    expect(text.includes("\u241b[31m") && !text.includes("\u001b"), "the terminal code is not made visible");
    expect((await page.locator("main img, main script, main iframe, main svg").count()) === 0, "the log made elements");
    expect(!(await page.title()).includes("owned"), "a script of the log ran");
    await page.click(".line:has-text('xxxxxxxx')");
    expect((await page.textContent(".line-detail")).includes("more bytes are in the file"), "the long line is not said to be cut");
    await page.keyboard.press("/");
    await page.keyboard.type("tick 1");
    await page.waitForSelector(".line mark");
    await page.keyboard.press("Escape");
    await page.selectOption("[aria-label='Whose lines']", "1");
    await page.waitForFunction(() => {
      const ranks = [...document.querySelectorAll(".line .rank")].map((rank) => rank.textContent);
      return ranks.length > 0 && ranks.every((rank) => rank === "r1");
    });
    return page;
  },

  async "a job is cancelled by keys alone"(browser) {
    const page = await enter(browser, `#/job/${hostile}`);
    await page.waitForSelector(".job-head .pill.running");
    await page.keyboard.press("c");
    await page.waitForSelector("dialog.question[open]");
    await expectAccessible(page, "the question");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".job-head .pill.cancelled");
    return page;
  },

  async "a job that is over is handed in once more"(browser) {
    const page = await enter(browser, `#/job/${failedJob}`);
    await page.waitForSelector(".job-head .pill.failed");
    await page.keyboard.press("r");
    await page.waitForSelector("dialog.question[open]");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => /#\/job\/job_/.test(url.hash) && !url.hash.includes(failedJob));
    await page.waitForSelector(`.choices a[href="#/job/${failedJob}"]`);
    return page;
  },

  async "every attempt is listed, with its log"(browser) {
    triedAgain = await submitted({ command: ["/bin/sh", "-c", "echo attempt $LOCKSTEP_ATTEMPT; test $LOCKSTEP_ATTEMPT = 2"], workers: 1, retries: 1 });
    const page = await enter(browser, `#/job/${triedAgain}`);
    await page.waitForSelector(".job-head .pill.succeeded");
    await page.waitForSelector(".attempts tr:has-text('1') .pill.failed");
    await page.click("[aria-label='Log of attempt 1']");
    await page.waitForSelector(".line >> text=attempt 1");
    return page;
  },

  async "a job that ended well has its report: timeline, performance, and a file to keep"(browser) {
    const page = await enter(browser, `#/job/${well}`);
    await page.waitForSelector("h2:has-text('It ended well')");
    await page.click(".parts a:has-text('Timeline')");
    await page.waitForFunction(() => globalThis.lockstepTimeline?.view.width > 0);
    await page.waitForSelector("text=Every call that was recorded finished.");
    await page.click(".parts a:has-text('Performance')");
    await page.waitForSelector(".uplot canvas");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Save the report")]);
    expect(readFileSync(await download.path(), "utf8").startsWith("<!doctype html>"), "the file is no page");
    return page;
  },

  async "a service that is gone is told, and found again"(browser) {
    const page = await enter(browser, "#/jobs", { allows: /ERR_INTERNET_DISCONNECTED/ });
    await page.context().setOffline(true);
    await page.waitForSelector("h1:has-text('The service does not answer')");
    await page.context().setOffline(false);
    await page.waitForSelector(".job-table");
    return page;
  },

  async "nothing is wider than a narrow screen"(browser) {
    const page = await enter(browser, "#/jobs", { width: 390, height: 844 });
    await everyView(page, (what) => expectNoWider(page, what));
    return page;
  },
};

async function everyView(page, check) {
  for (const [hash, ready] of [
    ["#/jobs", ".job-table"], ["#/submit", ".submit"], ["#/catalogue", ".entry .title"], [`#/job/${failedJob}`, ".fixes"], [`#/job/${triedAgain}`, ".attempts"],
    [`#/job/${failedJob}/logs`, ".line"], [`#/job/${well}/timeline`, ".chosen-call"], [`#/job/${well}/performance`, ".uplot canvas"],
    [`#/job/${well}/network`, ".network .command"],
  ]) {
    await go(page, hash);
    await page.waitForSelector(ready);
    await check(hash);
  }
}

for (const dark of [false, true]) {
  checks[`every view is accessible, ${dark ? "dark" : "light"}`] = async (browser) => {
    const page = await enter(browser, "#/jobs", { dark });
    await everyView(page, (what) => expectAccessible(page, what));
    return page;
  };
}

await runChecks(checks);

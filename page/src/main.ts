// One page for both: the report that a file holds, or the jobs of the service that it came from.

import { ownBlocks, reportIn } from "./data/embedded";
import { Report } from "./report";
import { showReport } from "./report_page";
import { showService } from "./service_page";
import { h, replaceChildren } from "./ui/dom";

function fail(app: HTMLElement, error: unknown): void {
  replaceChildren(
    app,
    h(
      "main",
      { class: "empty" },
      h("h1", {}, "This report cannot be shown"),
      h("p", {}, error instanceof Error ? error.message : String(error)),
      h("p", {}, "Write it again with ", h("code", {}, "lockstep report RECORDING -o report.html"), ", and open it in a browser of 2023 or later."),
    ),
  );
}

const app = document.getElementById("app")!;
const service = document.getElementById("lockstep-service")?.textContent;
if (service) {
  showService(JSON.parse(service), app);
} else {
  Report.load(reportIn(ownBlocks)).then((report) => showReport(report, app)).catch((error) => fail(app, error));
}

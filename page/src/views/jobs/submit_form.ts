// A script, a number of ranks, go. Everything else is chosen by the service unless somebody says otherwise.

import type { View } from "../../report";
import { get, post, Refusal } from "../../service/api";
import type { Job, JobRequest } from "../../service/jobs";
import { h, replaceChildren } from "../../ui/dom";
import { jobHref } from "./places";
import { troubleLine } from "./trouble";

interface Field {
  pointer: string; // in the request
  label: string;
  says: string;
  input: HTMLInputElement | HTMLTextAreaElement;
}

function field(pointer: string, label: string, says: string, attributes: Record<string, string | number | boolean>, isLong = false): Field {
  const name = pointer.slice(1);
  const shared = { id: `job-${name}`, "aria-describedby": `job-${name}-says job-${name}-fault`, spellcheck: "false", autocomplete: "off", ...attributes };
  return { pointer, label, says, input: isLong ? h("textarea", { rows: 3, ...shared }) : h("input", shared) };
}

function row({ pointer, label, says, input }: Field, more?: HTMLElement): HTMLElement {
  const name = pointer.slice(1);
  return h("div", { class: "field" },
    h("label", { for: `job-${name}` }, label),
    h("div", { class: "controls" }, input, more),
    h("p", { class: "muted", id: `job-${name}-says` }, says),
    h("p", { class: "guilty fault", id: `job-${name}-fault`, role: "alert" }));
}

const lines = (text: string) => text.split("\n").map((line) => line.trim()).filter(Boolean);

export function submitForm(): View {
  const script = field("/script", "Script", "Its path on the machine of the service, or a file of yours.", { type: "text", required: true, placeholder: "/home/me/train.py" });
  const workers = field("/workers", "Ranks", "How many processes run it together.", { type: "number", required: true, min: 1, max: 4096, value: 2 });
  const args = field("/args", "Arguments", "One on each line.", {}, true);
  const environment = field("/environment", "Variables", "NAME=value, one on each line. The values are never shown again.", {}, true);
  const directory = field("/directory", "Folder", "Where the ranks run; a folder of the job's own when it is empty.", { type: "text" });
  const python = field("/python", "Python", "The interpreter; python3 when it is empty.", { type: "text" });
  const retries = field("/retries", "Retries", "How often it is started again when it fails.", { type: "number", min: 0, max: 100 });
  const limit = field("/time_limit_s", "Time limit", "Seconds after which it is ended; none when it is empty.", { type: "number", min: 1 });
  const fields = [script, workers, args, environment, directory, python, retries, limit];
  const file = h("input", { type: "file", class: "offscreen", tabindex: -1, "aria-hidden": "true" });
  const choose = h("button", { type: "button", click: () => file.click() }, "Choose a file …");
  const failed = h("p", { class: "guilty", role: "alert" });
  const go = h("button", { type: "submit", class: "main-action" }, "Run it");
  const more = h("details", {}, h("summary", {}, "More wishes"), [args, environment, directory, python, retries, limit].map((one) => row(one)));

  file.addEventListener("change", () => {
    if (file.files?.[0]) script.input.value = file.files[0].name;
  });
  const fault = (pointer: string, says: string) => {
    const of = fields.find((one) => pointer === one.pointer || pointer.startsWith(one.pointer + "/"));
    if (!of) return false;
    replaceChildren(form.querySelector(`#${of.input.id}-fault`)!, says);
    of.input.setAttribute("aria-invalid", "true");
    if (more.contains(of.input)) more.open = true;
    return true;
  };
  const clear = () => {
    failed.textContent = "";
    for (const one of form.querySelectorAll(".fault")) one.textContent = "";
    for (const one of fields) one.input.removeAttribute("aria-invalid");
  };
  const wish = async (): Promise<JobRequest> => {
    const request: JobRequest = { script: script.input.value.trim(), workers: Number(workers.input.value) };
    const chosen = file.files?.[0];
    if (chosen && chosen.name === request.script) request.files = { [chosen.name]: await chosen.text() };
    if (args.input.value.trim()) request.args = lines(args.input.value);
    if (environment.input.value.trim()) request.environment = Object.fromEntries(lines(environment.input.value).map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1)]));
    if (directory.input.value.trim()) request.directory = directory.input.value.trim();
    if (python.input.value.trim()) request.python = python.input.value.trim();
    if (retries.input.value) request.retries = Number(retries.input.value);
    if (limit.input.value) request.time_limit_s = Number(limit.input.value);
    return request;
  };
  const submit = async () => {
    clear();
    const wrong = lines(environment.input.value).find((line) => !/^[^=]+=/.test(line));
    if (wrong) return void fault("/environment", `“${wrong}” is not NAME=value.`);
    go.disabled = true;
    try {
      const job = await post<Job>("/v1/jobs", await wish());
      location.hash = jobHref(job.id);
    } catch (error) {
      const faults = error instanceof Refusal ? error.errors : [];
      const others = faults.filter((one) => !fault(one.pointer, `It ${one.detail}.`));
      if (faults.length === 0 || others.length > 0) failed.textContent = troubleLine(error);
      form.querySelector<HTMLElement>("[aria-invalid]")?.focus();
    } finally {
      go.disabled = false;
    }
  };
  const form = h("form", { class: "card submit", novalidate: true, submit: (event: Event) => (event.preventDefault(), void submit()) },
    row(script, choose), file, row(workers), more, failed, h("p", { class: "actions" }, go));

  return {
    element: h("div", { class: "submit-page" }, h("h1", {}, "Submit a job"),
      h("p", { class: "muted" }, "The script is run by all ranks as it is. Hosts, ports, rank numbers and network cards are found for you; what was chosen, and why, stands beside the job."), form),
    arrive: (item) => {
      if (item) void get<Job>(`/v1/jobs/${item}`).then((job) => fill(job), (error) => (failed.textContent = troubleLine(error)));
      script.input.focus();
    },
  };

  function fill({ request }: Job): void {
    script.input.value = request.script ?? "";
    workers.input.value = String(typeof request.workers === "number" ? request.workers : request.workers.max);
    args.input.value = (request.args ?? []).join("\n");
    directory.input.value = request.directory ?? "";
    python.input.value = request.python ?? "";
    retries.input.value = request.retries ? String(request.retries) : "";
    limit.input.value = request.time_limit_s ? String(request.time_limit_s) : "";
  }
}

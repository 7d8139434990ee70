// A script, a number of ranks, go. Everything else is chosen by the service unless somebody says otherwise.

import type { View } from "../../report";
import { get, post, Refusal } from "../../service/api";
import type { Job, JobRequest } from "../../service/jobs";
import { h, replaceChildren } from "../../ui/dom";
import { plural } from "../../ui/words";
import { jobHref } from "./places";
import { groups, type Field } from "./submit_fields";
import { troubleLine } from "./trouble";

const mostFiles = 1024;
const mostBytes = 5_000_000; // the service takes no more in one request

function row({ input, label, says }: Field, ...more: HTMLElement[]): HTMLElement {
  return h("div", { class: input.matches("textarea") ? "field wide" : "field" },
    h("label", { for: input.id }, label),
    h("div", { class: "controls" }, input, more),
    h("p", { class: "muted", id: `${input.id}-says` }, says),
    h("p", { class: "guilty fault", id: `${input.id}-fault`, role: "alert" }));
}

// The path that a file has in the job's folder.
const pathOf = (file: File) => file.webkitRelativePath.split("/").slice(1).join("/") || file.name;

async function sent(file: File): Promise<string | { base64: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    let text = "";
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return { base64: btoa(text) };
  }
}

export function submitForm(): View {
  const all = groups();
  const fields = all.flatMap((group) => group.fields);
  const named = (name: keyof JobRequest) => fields.find((field) => field.name === name)!;
  const script = named("script");
  const picker = (attributes: Record<string, boolean>) => h("input", { type: "file", class: "offscreen", tabindex: -1, "aria-hidden": "true", ...attributes });
  const scriptFile = picker({});
  const moreFiles = picker({ multiple: true });
  const folder = picker({ webkitdirectory: true });
  const chooser = (text: string, input: HTMLInputElement) => h("button", { type: "button", click: () => input.click() }, text);
  const told = h("p", { class: "muted", id: "job-files-says" }, "What the script imports and reads, if it is not on the machine of the service.");
  const fault = h("p", { class: "guilty fault", id: "job-files-fault", role: "alert" });
  const files = h("div", { class: "field", role: "group", "aria-label": "Files" }, h("span", { class: "label" }, "Files"), h("div", { class: "controls" }, chooser("Add files …", moreFiles), chooser("Add a folder …", folder)), told, fault);
  const failed = h("p", { class: "guilty", role: "alert" });
  const go = h("button", { type: "submit", class: "main-action" }, "Run it");
  const chosen = new Map<string, File>();

  const show = () => {
    const size = [...chosen.values()].reduce((sum, file) => sum + file.size, 0);
    if (chosen.size > 0) told.textContent = `${plural(chosen.size, "file")}, ${(size / 1e6).toFixed(1)} MB: ${[...chosen.keys()].slice(0, 6).join(", ")}${chosen.size > 6 ? " …" : ""}`;
    fault.textContent = chosen.size > mostFiles || size > mostBytes ? `At most ${mostFiles} files of 5 MB together can be sent.` : "";
  };
  const take = (input: HTMLInputElement) => {
    for (const file of input.files ?? []) if (!pathOf(file).split("/").some((part) => part.startsWith(".") || part === "__pycache__")) chosen.set(pathOf(file), file);
    show();
  };
  scriptFile.addEventListener("change", () => {
    const file = scriptFile.files?.[0];
    if (!file) return;
    script.input.value = file.name;
    take(scriptFile);
  });
  for (const input of [moreFiles, folder]) input.addEventListener("change", () => take(input));

  const blame = (name: string, says: string) => {
    const of = fields.find((one) => name === one.name || name.startsWith(one.name + "/"));
    if (!of) return false;
    replaceChildren(form.querySelector(`#${of.input.id}-fault`)!, says);
    of.input.setAttribute("aria-invalid", "true");
    const folded = of.input.closest("details");
    if (folded) folded.open = true;
    return true;
  };
  const clear = () => {
    failed.textContent = "";
    for (const one of form.querySelectorAll(".fault")) if (one !== fault) one.textContent = "";
    for (const one of fields) one.input.removeAttribute("aria-invalid");
  };
  // Nothing: a field cannot be read, and says so.
  const wish = async (): Promise<JobRequest | null> => {
    const request: Record<string, unknown> = {};
    let isSound = fault.textContent === "";
    for (const { name, input, read, unread } of fields) {
      const written = input.value.trim();
      if (written === "" && name !== "script") continue;
      const value = read(written);
      if (value !== undefined) request[name] = value;
      else isSound = !blame(name, unread);
    }
    if (!isSound) return null;
    if (chosen.size > 0) request.files = Object.fromEntries(await Promise.all([...chosen].map(async ([path, file]) => [path, await sent(file)])));
    return request as unknown as JobRequest;
  };
  const submit = async () => {
    clear();
    go.disabled = true;
    try {
      const request = await wish();
      if (request) location.hash = jobHref((await post<Job>("/v1/jobs", request)).id);
    } catch (error) {
      const faults = error instanceof Refusal ? (error.errors ?? []) : [];
      const others = faults.filter((one) => !blame(one.pointer.slice(1), `It ${one.detail}.`));
      if (faults.length === 0 || others.length > 0) failed.textContent = troubleLine(error);
    } finally {
      go.disabled = false;
      form.querySelector<HTMLElement>("[aria-invalid]")?.focus();
    }
  };
  const [first, ...others] = all;
  const form = h("form", { class: "card submit", novalidate: true, submit: (event: Event) => (event.preventDefault(), void submit()) },
    first.fields.map((one) => (one === script ? row(one, chooser("Choose a file …", scriptFile)) : row(one))),
    scriptFile, moreFiles, folder,
    others.map(({ title, fields: inside }) => h("details", { open: title === "Resources" }, h("summary", {}, title), h("div", { class: "fields" }, inside.map((one) => row(one)), title === "Environment" && files))),
    failed, h("p", { class: "actions" }, go));

  return {
    element: h("div", { class: "submit-page" }, h("h1", {}, "Submit a job"),
      h("p", { class: "muted" }, "All ranks run the same script. Lockstep picks hosts, ports, rank numbers and network interfaces; the job's page says what it chose, and why."), form),
    arrive: (item) => {
      if (item) void get<Job>(`/v1/jobs/${item}`).then((job) => fill(job), (error) => (failed.textContent = troubleLine(error)));
      script.input.focus();
    },
  };

  function fill({ request }: Job): void {
    for (const { name, input, shows } of fields) {
      const value = request[name];
      if (value === undefined || name === "environment") continue; // its values were forgotten
      input.value = shows(value);
      const folded = input.closest("details");
      if (folded) folded.open = true;
    }
  }
}

// Every kind of fault that Lockstep knows: what it means, why it happens, what repairs it.

import type { Catalogue, CatalogueEntry, Findings } from "../data/contents";
import type { View } from "../report";
import { copyable } from "../ui/copy";
import { h, replaceChildren, visible } from "../ui/dom";
import { prose } from "../ui/prose";
import { href } from "../ui/route";
import { plural } from "../ui/words";

// The catalogue, and what was found of it.
export interface CatalogueSource {
  catalogue(): Promise<Catalogue>;
  findings: Findings;
}

export function catalogueView(report: CatalogueSource): View {
  const search = h("input", { type: "search", placeholder: "Search codes and fixes", "aria-label": "Search the catalogue", spellcheck: "false" });
  const told = h("span", { class: "muted", role: "status" });
  const index = h("nav", { class: "index", "aria-label": "Codes" });
  const detail = h("div", { class: "entry", tabindex: -1 });
  const element = h("div", { class: "catalogue" }, h("h1", { class: "offscreen" }, "Catalogue"), h("div", { class: "side" }, h("div", { class: "controls" }, search, told), index), detail);
  const found = new Set(report.findings.findings.flatMap((finding) => [finding.code, finding.leaf]));
  let wanted = "";

  const fill = (catalogue: Catalogue) => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = catalogue.codes.filter((entry) => words.every((word) => textOf(entry).includes(word)));
    told.textContent = plural(fits.filter((entry) => !isLeaf(entry)).length, "code");
    const chosen = entryFor(catalogue, wanted, report);
    replaceChildren(index, catalogue.leaves.map((leaf) => {
      const codes = fits.filter((entry) => entry.leaf === leaf.id);
      return codes.length > 0 && h("section", {},
        h("h2", {}, leaf.name, h("span", {}, leaf.id)),
        h("ul", {}, codes.map((entry) => h("li", {}, h("a", { href: href("catalogue", entry.code), "aria-current": entry === chosen ? "true" : null }, isLeaf(entry) ? "in general" : entry.code, found.has(entry.code) && h("span", { class: "tag" }, "found"))))));
    }));
    if (fits.length === 0) index.append(h("p", { class: "muted" }, "No code fits. Try a word of the error message."));
    replaceChildren(detail, chosen ? entryIn(catalogue, chosen, wanted, report) : "");
  };
  search.addEventListener("input", () => void report.catalogue().then(fill));
  return {
    element,
    search,
    arrive: (item) => {
      wanted = item;
      void report.catalogue().then((catalogue) => {
        fill(catalogue);
        index.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
        if (item && matchMedia("(max-width: 760px)").matches) detail.scrollIntoView();
      });
    },
  };
}

const texts = new WeakMap<CatalogueEntry, string>();
function textOf(entry: CatalogueEntry): string {
  let text = texts.get(entry);
  if (text === undefined) {
    text = JSON.stringify([entry.code, entry.leaf, entry.title, entry.meaning, entry.causes, entry.fixes, entry.samples]).toLowerCase();
    texts.set(entry, text);
  }
  return text;
}

function isLeaf(entry: CatalogueEntry): boolean {
  return entry.code.startsWith("leaf.");
}

// The code itself; for one that only the analysis of ranks gives, what is known of its leaf.
function entryFor(catalogue: Catalogue, code: string, report: CatalogueSource): CatalogueEntry | undefined {
  const ofLeaf = (leaf: string | undefined) => catalogue.codes.find((entry) => entry.leaf === leaf && isLeaf(entry));
  const finding = report.findings.findings.find((one) => one.code === code || (!code && one));
  return catalogue.codes.find((entry) => entry.code === (code || finding?.code)) ?? ofLeaf(catalogue.leaves.find((leaf) => leaf.id === code)?.id ?? finding?.leaf) ?? catalogue.codes[0];
}

// What the ranks show may be of another kind than the code alone says: a mismatch that hangs is a hang.
function foundAs(catalogue: Catalogue, entry: CatalogueEntry, report: CatalogueSource): HTMLElement | false {
  const finding = report.findings.findings.find((one) => one.code === entry.code && one.leaf !== entry.leaf);
  if (!finding) return false;
  const leaf = catalogue.leaves.find((one) => one.id === finding.leaf);
  return h("p", { class: "found-as" }, "In this job it is filed under ", h("b", {}, `${finding.leaf}: ${leaf?.name ?? ""}`), `, because of what it did to the ranks; by itself the code belongs to ${entry.leaf}.`);
}

function entryIn(catalogue: Catalogue, entry: CatalogueEntry, wanted: string, report: CatalogueSource): HTMLElement {
  const leaf = catalogue.leaves.find((one) => one.id === entry.leaf);
  const list = (title: string, items: HTMLElement[], kind: "ul" | "ol" = "ul") => items.length > 0 && h("section", {}, h("h3", {}, title), h(kind, {}, items));
  return h(
    "article",
    {},
    h("p", { class: "kicker" }, h("span", { class: "code" }, entry.code), h("span", {}, `${entry.leaf}: ${leaf?.name ?? ""}`), h("span", {}, entry.scope)),
    h("h2", { class: "title" }, prose(entry.title)),
    foundAs(catalogue, entry, report),
    wanted && wanted !== entry.code && wanted !== entry.leaf && h("p", { class: "muted" }, `${wanted} comes from comparing the ranks with each other; this is what is known of faults of its kind.`),
    h("p", {}, prose(entry.meaning)),
    list("Usual causes", entry.causes.map((cause) => h("li", {}, prose(cause)))),
    list("Fixes, in the order in which to try them", entry.fixes.map((fix) => h("li", {}, h("b", {}, prose(fix.title)), fix.steps.length > 0 && h("ul", {}, fix.steps.map((step) => h("li", {}, prose(step)))), fix.commands.map((command) => copyable(command)))), "ol"),
    entry.samples.length > 0 && h("section", {}, h("h3", {}, "Lines that show it"), entry.samples.map((sample) => h("pre", { class: "sample", tabindex: 0 }, visible(sample)))),
    list("References", entry.references.map((reference) => h("li", {}, /^https:\/\//.test(reference) ? h("a", { href: reference, rel: "noreferrer noopener", target: "_blank" }, reference) : reference))),
  );
}

// Lines to look through: a list, a search over it, and the whole of the line that is chosen.

import { copyButton } from "./copy";
import { h, replaceChildren } from "./dom";
import { LineList, type Row } from "./line_list";
import { count, plural } from "./words";

let made = 0;

export class LineBrowser {
  readonly search = h("input", { type: "search", placeholder: "Search", "aria-label": "Search the lines", spellcheck: "false" });
  readonly controls: HTMLElement[];
  readonly detail = h("div", { class: "line-detail" }, h("p", { class: "muted" }, "Choose a line to see all of it here."));
  readonly list = new LineList((row) => this.showDetail(row));
  private readonly only: HTMLInputElement;
  private readonly told = h("span", { class: "muted", role: "status" });
  private rows: Row[] = [];
  private found: Row[] = [];
  private match = -1;

  constructor() {
    const id = `only-matches-${++made}`;
    this.only = h("input", { type: "checkbox", id });
    this.controls = [
      this.search,
      h("button", { type: "button", click: () => this.step(-1), "aria-label": "Match before" }, "↑"),
      h("button", { type: "button", click: () => this.step(1), "aria-label": "Next match" }, "↓"),
      h("label", { for: id }, this.only, " matches only"),
      this.told,
    ];
    this.only.addEventListener("change", () => this.refresh());
    this.search.addEventListener("input", () => this.refresh());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") {
        this.clearSearch();
        this.list.element.focus();
      }
    });
  }

  // `rows` stays the caller's: lines are added to it, and extend() says so.
  show(rows: Row[]): void {
    this.rows = rows;
    this.refresh();
  }

  extend(from: number): void {
    const more = this.rows.slice(from);
    const fits = this.wanted ? more.filter((row) => this.matches(row)) : [];
    this.found.push(...fits);
    this.list.extend();
    if (this.match < 0) this.tell();
  }

  clearSearch(): void {
    if (this.search.value === "") return;
    this.search.value = "";
    this.refresh();
  }

  // Whether there is such a line.
  choose(fits: (row: Row) => boolean): boolean {
    const at = this.shown.findIndex((row) => !row.isGap && fits(row));
    if (at >= 0) this.list.choose(at);
    return at >= 0;
  }

  private get wanted(): string {
    return this.search.value.toLowerCase();
  }

  private get shown(): Row[] {
    return this.wanted && this.only.checked ? this.found : this.rows;
  }

  private matches(row: Row): boolean {
    return !row.isGap && row.text.toLowerCase().includes(this.wanted);
  }

  private refresh(): void {
    this.found = this.wanted ? this.rows.filter((row) => this.matches(row)) : [];
    this.match = -1;
    this.list.show(this.shown, this.search.value);
    this.tell();
  }

  private tell(): void {
    this.told.textContent = this.wanted ? plural(this.found.length, "line") + " found" : plural(this.rows.filter((row) => !row.isGap).length, "line");
  }

  private step(by: number): void {
    if (this.found.length === 0) return;
    this.match = (this.match + by + this.found.length) % this.found.length;
    this.list.choose(this.only.checked ? this.match : this.rows.indexOf(this.found[this.match]));
    this.told.textContent = `${this.match + 1} of ${count(this.found.length)}`;
  }

  private showDetail(row: Row): void {
    const place = `${row.file ? row.file + ":" : "line "}${row.number}`;
    replaceChildren(this.detail,
      h("p", {}, h("b", {}, place), row.rank !== null && ` rank ${row.rank}`, row.isEvidence && h("span", { class: "tag" }, "evidence"), row.cut > 0 && ` cut: ${count(row.cut)} more bytes are in the file`, copyButton(row.text, "the line")),
      h("pre", { tabindex: 0 }, row.text));
  }
}

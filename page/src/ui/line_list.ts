// A long list of lines of which only those in sight are elements.

import { h } from "./dom";

export interface Row {
  isGap: boolean;
  file: string; // empty: not shown
  at?: string; // when it was printed
  isError?: boolean; // printed on standard error
  number: number;
  rank: number | null;
  text: string;
  cut: number;
  isEvidence: boolean;
}

const lineHeight = 20;
const longestShown = 600; // a browser lays out a longer line slowly; the whole text stands below the list

export class LineList {
  readonly element: HTMLElement;
  private readonly room = h("div", { class: "room" });
  private rows: Row[] = [];
  private search = "";
  private chosen = -1;
  private drawn = [0, 0];
  private follows = false;
  onLeaveEnd = () => {}; // when somebody scrolls away from the end that is followed

  constructor(private readonly onChoose: (row: Row) => void) {
    this.element = h("div", { class: "lines", tabindex: 0, role: "listbox", "aria-label": "Lines" }, this.room);
    this.element.addEventListener("scroll", () => this.onScroll(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    this.element.addEventListener("click", (event) => {
      const line = (event.target as Element).closest<HTMLElement>("[data-row]");
      if (line) this.choose(Number(line.dataset.row), false);
    });
    new ResizeObserver(() => this.draw(true)).observe(this.element);
  }

  // Keeps the newest line in sight.
  follow(does: boolean): void {
    this.follows = does;
    if (does) this.goToEnd();
  }

  // There are more rows at the end.
  extend(): void {
    this.room.style.height = `${this.rows.length * lineHeight}px`;
    if (this.follows) this.goToEnd();
    this.draw(true);
  }

  show(rows: Row[], search: string): void {
    this.rows = rows;
    this.search = search.toLowerCase();
    this.chosen = -1;
    this.room.style.height = `${rows.length * lineHeight}px`;
    if (this.follows) this.goToEnd();
    this.draw(true);
  }

  choose(index: number, mayScroll = true): void {
    const row = this.rows[index];
    if (!row || row.isGap) return;
    this.chosen = index;
    const top = index * lineHeight;
    const { scrollTop, clientHeight } = this.element;
    if (mayScroll && (top < scrollTop || top > scrollTop + clientHeight - 2 * lineHeight)) {
      this.element.scrollTop = Math.max(0, top - clientHeight / 2);
    }
    this.draw(true);
    this.onChoose(row);
  }

  private goToEnd(): void {
    this.element.scrollTop = this.element.scrollHeight;
  }

  private onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    if (this.follows && scrollTop + clientHeight < scrollHeight - 2 * lineHeight) {
      this.follows = false;
      this.onLeaveEnd();
    }
    this.draw(false);
  }

  private onKey(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    let index = Math.min(Math.max(this.chosen + by, 0), this.rows.length - 1);
    if (this.rows[index]?.isGap) index += Math.sign(by);
    this.choose(index);
  }

  private draw(anew: boolean): void {
    const first = Math.max(0, Math.floor(this.element.scrollTop / lineHeight) - 10);
    const end = Math.min(this.rows.length, first + Math.ceil(this.element.clientHeight / lineHeight) + 20);
    if (!anew && this.drawn[0] === first && this.drawn[1] === end) return;
    this.drawn = [first, end];
    this.room.replaceChildren(...this.rows.slice(first, end).map((row, i) => this.line(row, first + i)));
    const chosen = this.room.querySelector(".chosen");
    if (chosen) this.element.setAttribute("aria-activedescendant", chosen.id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  private line(row: Row, index: number): HTMLElement {
    const isChosen = index === this.chosen;
    const classes = ["line", row.isGap && "gap", row.isEvidence && "evidence-line", row.isError && "on-error", isChosen && "chosen"].filter(Boolean).join(" ");
    const line = h("div", { class: classes, id: `line-${index}`, role: "option", "aria-selected": String(isChosen), "data-row": index });
    line.style.top = `${index * lineHeight}px`;
    if (row.isGap) {
      line.append(`⋯ ${row.text}`);
      return line;
    }
    if (row.at) line.append(h("span", { class: "at" }, row.at));
    if (row.file) line.append(h("span", { class: "file" }, row.file.split("/").pop()!));
    line.append(h("span", { class: "number" }, row.number), h("span", { class: "rank" }, row.rank === null ? "" : `r${row.rank}`));
    const text = row.text.length > longestShown ? row.text.slice(0, longestShown) + " …" : row.text;
    line.append(h("span", { class: "text" }, ...this.marked(text)));
    return line;
  }

  private marked(text: string): (string | HTMLElement)[] {
    if (!this.search) return [text];
    const parts: (string | HTMLElement)[] = [];
    const lower = text.toLowerCase();
    let from = 0;
    for (let at = lower.indexOf(this.search); at >= 0 && parts.length < 60; at = lower.indexOf(this.search, from)) {
      parts.push(text.slice(from, at), h("mark", {}, text.slice(at, at + this.search.length)));
      from = at + this.search.length;
    }
    parts.push(text.slice(from));
    return parts;
  }
}

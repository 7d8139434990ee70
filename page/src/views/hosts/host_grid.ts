// Hosts by hosts: rows connect to columns. One stop of the tab key; the arrows move within, and what stands in a cell is
// told in words wherever the reader is.

import { h, visible } from "../../ui/dom";

export interface Cell {
  text: string;
  kind: string;
  says: string; // for those who do not see it
}

export interface HostGrid {
  names: string[];
  label: string;
  cellAt(from: number, to: number): Cell;
  tell(from: number, to: number): void;
  first: [from: number, to: number]; // where the tab key leads
}

export const manyHosts = 16; // beyond them cells are small

const steps: Record<string, [down: number, right: number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export function hostGrid({ names, label, cellAt, tell, first }: HostGrid): HTMLElement {
  const cells = names.map((_, from) => names.map((_, to) => {
    const { text, kind, says } = cellAt(from, to);
    return h("td", { class: kind, role: "gridcell", tabindex: -1, "aria-label": says, title: says }, text);
  }));
  let [atRow, atColumn] = first;
  const stand = (row: number, column: number) => {
    cells[atRow][atColumn].tabIndex = -1;
    [atRow, atColumn] = [row, column];
    cells[row][column].tabIndex = 0;
  };
  const within = (place: number) => Math.min(names.length - 1, Math.max(0, place));
  const move = (event: KeyboardEvent) => {
    const [down, right] = steps[event.key] ?? [0, 0];
    const column = event.key === "Home" ? 0 : event.key === "End" ? names.length - 1 : within(atColumn + right);
    const row = within(atRow + down);
    if (row === atRow && column === atColumn) return;
    event.preventDefault();
    cells[row][column].focus();
  };
  const arrive = (event: FocusEvent) => {
    const cell = (event.target as HTMLElement).closest("td");
    const row = cells.findIndex((one) => one.includes(cell as HTMLTableCellElement));
    if (row < 0) return;
    stand(row, cells[row].indexOf(cell as HTMLTableCellElement));
    tell(atRow, atColumn);
  };
  stand(...first);
  return h("div", { class: names.length > manyHosts ? "host-table dense" : "host-table" },
    h("table", { role: "grid", "aria-label": label, keydown: move, focusin: arrive },
      h("thead", {}, h("tr", {}, h("td"), names.map((name, i) => h("th", { scope: "col", title: visible(name) }, i + 1)))),
      h("tbody", {}, names.map((name, from) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: "number" }, from + 1), visible(name)), cells[from])))));
}

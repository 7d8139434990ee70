// One table of keys for the whole page, which is also the help that `?` shows.

import { h } from "./dom";

export interface Key {
  key: string;
  says: string;
  run: () => void;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable);
}

export function listen(keys: Key[]): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const key = keys.find((one) => one.key === event.key);
    if (!key) return;
    event.preventDefault();
    key.run();
  });
}

const onTheTimeline: [string, string][] = [
  ["← →", "pan"],
  ["+ −", "zoom in and out (also the wheel)"],
  ["↑ ↓", "choose a rank"],
  [", .", "choose the call before, the call after"],
  ["w", "who waits for whom"],
  ["e", "jump to where it ends"],
  ["0", "all of it"],
  ["s", "the steps"],
];

export function helpDialog(keys: Key[]): HTMLDialogElement {
  const row = (key: string, says: string) => h("tr", {}, h("td", {}, h("kbd", {}, key)), h("td", {}, says));
  const dialog = h(
    "dialog",
    { class: "help", "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h("table", {}, h("tbody", {}, keys.map((key) => row(key.key, key.says)))),
    h("h3", {}, "On the timeline"),
    h("table", {}, h("tbody", {}, onTheTimeline.map(([key, says]) => row(key, says)))),
    h("p", { class: "actions" }, h("button", { type: "button", click: () => dialog.close() }, "Close")),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}

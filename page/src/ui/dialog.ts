// A question before something is done. Enter does it, Escape leaves it.

import { h, replaceChildren } from "./dom";

export interface Question {
  title: string;
  text: string;
  fields?: HTMLElement[];
  does: string; // the word on the button
  isGrave?: boolean;
  run: () => Promise<void>;
  says: (error: unknown) => string;
}

export function question(asked: Question): void {
  const failed = h("p", { class: "guilty", role: "alert" });
  const does = h("button", { type: "submit", class: asked.isGrave ? "grave" : "main-action" }, asked.does);
  const dialog = h("dialog", { class: "question", "aria-labelledby": "question-title" },
    h("form", {
      submit: (event: Event) => {
        event.preventDefault();
        does.disabled = true;
        asked.run().then(() => dialog.close(), (error) => {
          does.disabled = false;
          replaceChildren(failed, asked.says(error));
        });
      },
    },
      h("h2", { id: "question-title" }, asked.title),
      h("p", {}, asked.text),
      asked.fields ?? [],
      failed,
      h("p", { class: "actions" }, does, h("button", { type: "button", click: () => dialog.close() }, "Leave it")),
    ));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  (dialog.querySelector("input") ?? does).focus();
}

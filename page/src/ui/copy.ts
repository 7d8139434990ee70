// A button that copies a text and says that it did.

import { h } from "./dom";

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A file opened from disk may have no clipboard of its own; a selection can still be copied.
    const area = h("textarea", { class: "offscreen", "aria-hidden": "true", tabindex: -1 });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export function copyButton(text: string, what: string): HTMLButtonElement {
  const button = h("button", { type: "button", class: "copy", "aria-label": `Copy ${what}` }, "Copy");
  button.addEventListener("click", () => {
    void copy(text).then(() => {
      button.textContent = "Copied";
      button.classList.add("done");
      setTimeout(() => {
        button.textContent = "Copy";
        button.classList.remove("done");
      }, 1500);
    });
  });
  return button;
}

// A command or other text to be typed, with its button.
export function copyable(text: string, what = "the command"): HTMLElement {
  return h("div", { class: "command" }, h("pre", { tabindex: 0 }, h("code", {}, text)), copyButton(text, what));
}

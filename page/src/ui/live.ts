// A part of the page that follows a value: it is made anew when the value is another one, and left alone otherwise, so
// that nothing that is read, open or focused goes away under the reader.

import { replaceChildren } from "./dom";

type Content = Parameters<typeof replaceChildren>[1];

export class Live<E extends HTMLElement> {
  private before = "";

  constructor(readonly element: E) {}

  show(value: unknown, make: () => Content): void {
    const now = JSON.stringify(value) ?? "";
    if (now === this.before) return;
    this.before = now;
    replaceChildren(this.element, make());
  }
}

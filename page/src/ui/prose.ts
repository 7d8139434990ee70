// Text of the catalogue and of findings as it was meant: `code`, **bold** and links, and nothing else. It is taken apart
// here and becomes elements one by one, never markup.

import { h, visible } from "./dom";

// Code first: nothing in it means anything else. A link is only what a browser opens without running it.
const marks = /`([^`\n]+)`|\*\*(\S(?:[^*\n]*\S)?)\*\*|\[([^\]\n]+)\]\((https?:\/\/[^\s()<>"]+)\)|(https?:\/\/[^\s<>"'`()[\]]*[^\s<>"'`()[\].,;:!?])/g;

export function prose(text: string): (HTMLElement | string)[] {
  const parts: (HTMLElement | string)[] = [];
  let from = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, code, bold, name, place, address] = match;
    if (match.index > from) parts.push(visible(text.slice(from, match.index)));
    if (code !== undefined) parts.push(h("code", {}, visible(code)));
    else if (bold !== undefined) parts.push(h("b", {}, visible(bold)));
    else parts.push(h("a", { href: place ?? address, rel: "noreferrer noopener", target: "_blank" }, visible(name ?? address)));
    from = match.index + whole.length;
  }
  if (from < text.length) parts.push(visible(text.slice(from)));
  return parts;
}

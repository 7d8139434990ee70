// The data that lockstep wrote into a report: blocks of JSON as it is, or deflated and in base64.

import type { About, Catalogue, Contents, Findings } from "./contents";
import type { Source } from "./source";

type Blocks = (id: string) => string;

// Those of this very file.
export const ownBlocks: Blocks = (id) => {
  const element = document.getElementById(id);
  if (!element) throw missing(id);
  return element.textContent ?? "";
};

// Those of a report that was fetched. Nothing of it becomes markup here.
export function blocksIn(html: string): Blocks {
  return (id) => {
    const at = html.indexOf(`<script id="${id}" `);
    const begin = html.indexOf(">", at) + 1;
    const end = html.indexOf("</script>", begin);
    if (at < 0 || end < 0) throw missing(id);
    return html.slice(begin, end);
  };
}

function missing(id: string): Error {
  return new Error(`The file holds no block “${id}”. It was cut, or saved by something that changed it.`);
}

async function unpacked(packed: string): Promise<Uint8Array> {
  const text = atob(packed);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpackedJson<T>(packed: string): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await unpacked(packed))) as T;
}

// A service keeps reports that an earlier version made, which knew less.
function whole(contents: Contents): Contents {
  contents.sides ??= [];
  if (contents.timeline) contents.timeline.stops ??= contents.timeline.ranks.map(() => null);
  for (const curve of contents.losses) curve.by ??= "step";
  return contents;
}

export async function catalogueIn(blocks: Blocks): Promise<Catalogue> {
  return unpackedJson<Catalogue>(blocks("lockstep-catalogue"));
}

export function reportIn(blocks: Blocks): Source {
  return {
    about: async () => JSON.parse(blocks("lockstep-about")) as About,
    findings: async () => JSON.parse(blocks("lockstep-findings")) as Findings,
    contents: async () => whole(await unpackedJson<Contents>(blocks("lockstep-contents"))),
    spans: async () => unpacked(blocks("lockstep-spans")),
    catalogue: () => catalogueIn(blocks),
  };
}

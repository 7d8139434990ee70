// The data that lockstep wrote into this very file: JSON as it is, or deflated and in base64.

import type { About, Catalogue, Contents, Findings } from "./contents";
import type { Source } from "./source";

function block(id: string): string {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The file holds no block “${id}”. It was cut, or saved by something that changed it.`);
  return element.textContent ?? "";
}

async function unpacked(id: string): Promise<Uint8Array> {
  const text = atob(block(id));
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpackedJson<T>(id: string): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await unpacked(id))) as T;
}

export const embedded: Source = {
  about: async () => JSON.parse(block("lockstep-about")) as About,
  findings: async () => JSON.parse(block("lockstep-findings")) as Findings,
  contents: () => unpackedJson<Contents>("lockstep-contents"),
  spans: () => unpacked("lockstep-spans"),
  catalogue: () => unpackedJson<Catalogue>("lockstep-catalogue"),
};

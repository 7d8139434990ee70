// Where the page has a report from: its own file, or a service.

import type { About, Catalogue, Contents, Findings } from "./contents";

export interface Source {
  about(): Promise<About>;
  findings(): Promise<Findings>;
  contents(): Promise<Contents>;
  spans(): Promise<Uint8Array>;
  catalogue(): Promise<Catalogue>;
}

// Where the page has its data from: blocks in its own file today, a service that answers while the job runs later.

import type { About, Catalogue, Contents, Findings } from "./contents";

export interface Source {
  about(): Promise<About>;
  findings(): Promise<Findings>;
  contents(): Promise<Contents>;
  spans(): Promise<Uint8Array>;
  catalogue(): Promise<Catalogue>;
}

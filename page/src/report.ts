// Everything the views share: the data once loaded, and what follows from it.

import type { About, Catalogue, Contents, Findings } from "./data/contents";
import type { Source } from "./data/source";
import { Spans } from "./data/spans";

export class Report {
  readonly guilty: Set<number>;
  readonly victims: Set<number>;
  private spansOnce?: Promise<Spans | null>;
  private catalogueOnce?: Promise<Catalogue>;

  constructor(private readonly source: Source, readonly about: About, readonly findings: Findings, readonly contents: Contents) {
    this.guilty = new Set(findings.findings.flatMap((finding) => finding.root_ranks));
    this.victims = new Set(findings.findings.flatMap((finding) => finding.victim_ranks));
  }

  static async load(source: Source): Promise<Report> {
    const [about, findings, contents] = await Promise.all([source.about(), source.findings(), source.contents()]);
    return new Report(source, about, findings, contents);
  }

  // Decoded when a view first asks for them.
  spans(): Promise<Spans | null> {
    const { timeline } = this.contents;
    this.spansOnce ??= timeline ? this.source.spans().then((bytes) => new Spans(timeline, bytes)) : Promise.resolve(null);
    return this.spansOnce;
  }

  catalogue(): Promise<Catalogue> {
    this.catalogueOnce ??= this.source.catalogue();
    return this.catalogueOnce;
  }
}

// What a view is: an element to show, and what to do when the address changes under it or it is left.
export interface View {
  element: HTMLElement;
  arrive?: (item: string, query: URLSearchParams) => void;
  search?: HTMLInputElement;
}

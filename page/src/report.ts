// Everything the views share: the data once loaded, and what follows from it.

import type { About, Catalogue, Contents, Evidence, Findings } from "./data/contents";
import type { Source } from "./data/source";
import { Spans } from "./data/spans";
import { href, type Query } from "./ui/route";

export interface Link {
  href: string;
  says: string;
  where: string;
  name?: string; // of the place, where the file's own is too long to be read
}

// Where the views of a report are found, and the lines that prove its findings.
export interface Places {
  href(view: string, query?: Query): string;
  hasTimeline(report: Report): boolean;
  evidence(report: Report, one: Evidence, finding: number, index: number): Link | null;
}

export class Report {
  readonly guilty: Set<number>;
  readonly victims: Set<number>;
  private spansOnce?: Promise<Spans | null>;
  private catalogueOnce?: Promise<Catalogue>;

  constructor(private readonly source: Source, readonly about: About, readonly findings: Findings, readonly contents: Contents, readonly places: Places = itsOwn) {
    this.guilty = new Set(findings.findings.flatMap((finding) => finding.root_ranks));
    this.victims = new Set(findings.findings.flatMap((finding) => finding.victim_ranks));
  }

  static async load(source: Source, places: Places = itsOwn): Promise<Report> {
    const [about, findings, contents] = await Promise.all([source.about(), source.findings(), source.contents()]);
    return new Report(source, about, findings, contents, places);
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

// A report that is the whole page.
const itsOwn: Places = {
  href: (view, query) => href(view, "", query),
  hasTimeline: (report) => report.contents.timeline !== null,
  evidence(report, one, finding, index) {
    if (one.line && report.contents.logs.some((log) => log.file === one.file)) {
      return { href: href("logs", "", { file: one.file, line: one.line }), says: "Open the log at this line", where: "log" };
    }
    return momentOf(report, finding, index);
  },
};

export function momentOf(report: Report, finding: number, index: number): Link | null {
  const moment = report.contents.moments.find((at) => at.finding === finding && at.evidence === index);
  if (!moment) return null;
  return { href: report.places.href("timeline", { rank: moment.rank, at: moment.time_us }), says: "Show the moment on the timeline", where: "timeline" };
}

// What a view is: an element to show, and what to do when the address changes under it or it is left.
export interface View {
  element: HTMLElement;
  arrive?: (item: string, query: URLSearchParams) => void;
  leave?: () => void;
  search?: HTMLInputElement;
}

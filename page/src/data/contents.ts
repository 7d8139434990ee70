// What the page is told, in the words of src/report/html/contents_json.cc and of the findings file.

export interface Evidence {
  file: string;
  line?: number;
  rank?: number;
  text: string;
  level?: "seen" | "inferred" | "absence";
}

export interface Fix {
  pattern: string;
  title: string;
  steps: string[];
  commands: string[];
}

export interface Finding {
  leaf: string;
  code: string;
  scope: "distributed" | "ordinary" | "unknown";
  confidence: number;
  root_ranks: number[];
  victim_ranks: number[];
  title: string;
  explanation: string;
  evidence: Evidence[];
  fixes: Fix[];
  places?: CodePlace[];
  consequence_of?: string; // the code of the finding that explains this one
}

// A line of the user's code, the root ranks' first.
export interface CodePlace {
  file: string;
  line: number;
  function?: string;
  ranks?: number[];
}

export interface Findings {
  schema: string;
  job: { framework: string; backend: string; world_size?: number; hosts?: number; ranks_seen: number[] };
  findings: Finding[];
  limits: string[];
  matrix?: HostRow[]; // of a check that saw several hosts
}

export interface RankFacts {
  rank: number;
  host: string;
  local_rank: number | null;
  pid: number | null;
  restart: number;
  end: string;
  version: string;
}

// Where a rank's process came to its end: "exited 1".
export interface RankStop {
  at_us: number;
  words: string;
  was_bad: boolean;
}

export interface TimelineFacts {
  begin_ns: string;
  seen_us: number;
  length_us: number;
  spans: number;
  ranks: number[];
  stops: (RankStop | null)[]; // by index into ranks
  labels: string[];
  sites: string[];
  groups: { name: string; members: number[] }[]; // members: first, count, first, count ...
  meetings: { group: number[]; sequence: number[]; label: number[]; all_came_us: number[] }; // -1: never
}

export type LogLine = [number: number, rank: number | null, time_us: number | null, bytesCut: number, text: string];

export interface LogFile {
  file: string;
  rank: number | null;
  lines_in_all: number;
  lines: LogLine[];
}

export interface HostRow {
  hosts: string;
  cells: string; // x blocked, ? not known, . open; one for each row
  why: Record<string, string>; // what decides, for blocked cells by their place
}

// Pairs as columns; hosts by their places.
export interface Measures {
  hosts: string[];
  from: number[];
  to: number[];
  latency_us: number[];
  megabytes_per_s: number[];
  failures: { from: number; to: number; port: number; end: string; needed_by: string[] }[];
}

// Which ranks called what, and from which line of the script.
export interface CallSide {
  ranks: number[];
  call: string;
  site: string;
  first_line: number;
  called_line: number;
  lines: string[]; // none: the script could not be read, or changed since
}

export interface Contents {
  schema: string;
  input: string;
  ranks: RankFacts[];
  timeline: TimelineFacts | null;
  moments: { finding: number; evidence: number; rank: number; time_us: number }[];
  sides: { finding: number; sides: CallSide[] }[];
  logs: LogFile[];
  losses: { rank: number; by: "step" | "epoch" | "line"; steps: number[]; losses: (number | string)[] }[];
  steps: { rank: number; first_step: number; steps_each: number; ms: number[] }[];
  checksums: null | { compared: number; parted: number; rows: { group: string; sequence: number; results: number[] }[] };
  hosts: HostRow[];
  measures: Measures | null;
  bounds: string[];
}

export interface CatalogueEntry {
  code: string;
  leaf: string;
  scope: string;
  title: string;
  meaning: string;
  causes: string[];
  fixes: Fix[];
  references: string[];
  samples: string[];
}

export interface Catalogue {
  leaves: { id: string; name: string; study_code: string }[];
  codes: CatalogueEntry[];
}

export interface About {
  version: string;
}

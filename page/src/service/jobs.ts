// Jobs in the words of the service's API.

import type { Findings } from "../data/contents";

export type State = "QUEUED" | "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED";

export interface JobRequest {
  script?: string;
  command?: string[];
  args?: string[];
  workers: number | { min: number; max: number };
  framework?: string;
  python?: string;
  directory?: string;
  time_limit_s?: number;
  retries?: number;
  environment?: Record<string, string>;
  files?: Record<string, string | { base64: string }>;
  labels?: Record<string, string>;
  cpus_per_worker?: number;
  gpus_per_worker?: number;
  memory_per_worker?: number;
  memory_most?: number;
  repairs?: number;
  checkpoint_directory?: string;
  priority?: number;
  engine?: string;
  nodes?: number;
  partition?: string;
  account?: string;
}

export interface RankEnd {
  rank: number;
  started_at: string | null;
  ended_at: string | null;
  exit_status: number | null;
  signal: number | null;
  was_asked_to_end: boolean;
  last_lines: string[];
}

export interface Attempt {
  number: number;
  state: State;
  reason: string;
  workers: number;
  started_at: string | null;
  ended_at: string | null;
  exit_status: number | null;
  first_failed_rank: number | null;
  ranks: RankEnd[];
}

export interface Job {
  id: string;
  state: State;
  reason: string;
  owner: string;
  owner_name?: string; // as people know them
  progress?: { by: string; number: number | null; loss: number | string | null } | null; // of one that runs
  engine?: string; // "local" where it is not said
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  attempts: number;
  cancel_asked: boolean;
  request: JobRequest;
  resolved: Record<string, { value: string; reason: string }>;
  last_attempt?: Attempt;
  check?: Findings;
  diagnosis?: Findings;
}

export interface JobEvent {
  sequence: number;
  at: string;
  kind: string;
  detail: string;
}

export interface LogEntry {
  at: string;
  attempt: number;
  rank: number;
  stream: "out" | "err";
  text: string;
  goes_on: boolean;
}

export function isOver(job: { state: State }): boolean {
  return job.state !== "QUEUED" && job.state !== "RUNNING";
}

// What a person would call it: the script, or the program of the command.
export function nameOf(job: Job): string {
  const { script, command, args } = job.request;
  const words = script ? [script, ...(args ?? [])] : (command ?? []);
  return words.map((word) => (word.startsWith("/") ? word.split("/").pop() : word)).join(" ") || "job";
}

export function workersOf(job: Job): string {
  const { workers } = job.request;
  return typeof workers === "number" ? String(workers) : `${workers.min}–${workers.max}`;
}

export function ownerOf(job: Job): string {
  return job.owner_name ?? job.owner;
}

// "step 120, loss 0.4312"
export function progressOf(job: Job): string {
  const { by, number, loss } = job.progress ?? { by: "step", number: null, loss: null };
  const shown = typeof loss === "number" ? String(Number(loss.toPrecision(4))) : loss;
  return [number !== null && `${by} ${number}`, shown !== null && `loss ${shown}`].filter(Boolean).join(", ");
}

export const stateWords: Record<State, string> = { QUEUED: "waiting", RUNNING: "running", SUCCEEDED: "succeeded", FAILED: "failed", CANCELLED: "cancelled" };

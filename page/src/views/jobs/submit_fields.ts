// Everything that a job can be given, as fields: the same that `lockstep submit` takes.

import type { JobRequest } from "../../service/jobs";
import { h } from "../../ui/dom";
import { bytesAs, bytesIn, pairsAs, pairsIn, secondsIn, wordsAs, wordsIn } from "../../ui/written";

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export interface Field {
  name: keyof JobRequest; // in the request; a fault of the service names it too
  label: string;
  says: string;
  input: Input;
  // What is written there as a value of the request; undefined: it cannot be read.
  read: (text: string) => unknown;
  shows: (value: any) => string;
  unread: string; // why it cannot be read
}

interface Kind {
  read: (text: string) => unknown;
  shows: (value: any) => string;
  unread: string;
  make: (attributes: Record<string, string | number | boolean>) => Input;
}

const line = (attributes: Record<string, string | number | boolean>) => h("input", { type: "text", ...attributes });
const area = (attributes: Record<string, string | number | boolean>) => h("textarea", { rows: 3, ...attributes });

const text: Kind = { read: (value) => value, shows: String, unread: "", make: line };
const number: Kind = { read: (value) => (/^-?\d+$/.test(value) ? Number(value) : undefined), shows: String, unread: "It must be a whole number.", make: (attributes) => h("input", { type: "number", ...attributes }) };
const size: Kind = { read: bytesIn, shows: bytesAs, unread: "It is not a size, as 512M or 8G.", make: line };
const time: Kind = { read: secondsIn, shows: String, unread: "It is not a length of time, as 3600, 90m or 2h.", make: line };
const words: Kind = { read: wordsIn, shows: wordsAs, unread: "A quote has no end.", make: line };
const pairs: Kind = { read: pairsIn, shows: pairsAs, unread: "Every line must be NAME=value.", make: area };

function choice(options: [value: string, says: string][]): Kind {
  return { ...text, make: (attributes) => h("select", attributes, options.map(([value, says]) => h("option", { value }, says))) };
}

function field(name: keyof JobRequest, label: string, says: string, kind: Kind, attributes: Record<string, string | number | boolean> = {}): Field {
  const shared = { id: `job-${name}`, "aria-describedby": `job-${name}-says job-${name}-fault`, spellcheck: "false", autocomplete: "off", ...attributes };
  return { name, label, says, read: kind.read, shows: kind.shows, unread: kind.unread, input: kind.make(shared) };
}

export interface Group {
  title: string; // empty: always in sight
  fields: Field[];
}

export function groups(): Group[] {
  return [
    {
      title: "",
      fields: [
        field("script", "Script", "Its path on the machine of the service, or a file of yours.", text, { required: true, placeholder: "/home/me/train.py" }),
        field("args", "Arguments", "As on a command line.", words, { placeholder: "--lr 0.1 --epochs 3" }),
        field("workers", "Ranks", "Number of ranks; 2:8 uses as many as are free, between 2 and 8.",
          { read: workersIn, shows: workersAs, unread: "It must be a number, or two as 2:8.", make: line }, { required: true, inputmode: "numeric", value: "2", class: "short" }),
      ],
    },
    {
      title: "Resources",
      fields: [
        field("gpus_per_worker", "GPUs per rank", "If empty: one per rank, if the machine has GPUs.", number, { min: 0, max: 64 }),
        field("cpus_per_worker", "CPUs per rank", "Cores for each rank.", number, { min: 1, max: 4096 }),
        field("memory_per_worker", "Memory per rank", "As 512M or 8G; without limit when empty.", size, { placeholder: "8G", class: "short" }),
        field("memory_most", "Memory at most", "Upper limit to which a retry may raise it.", size, { placeholder: "16G", class: "short" }),
      ],
    },
    {
      title: "Environment",
      fields: [
        field("framework", "Framework", "What the script trains with.", choice([["", "Detect from its imports"], ["pytorch", "PyTorch"], ["tensorflow", "TensorFlow"], ["horovod", "Horovod"], ["plain", "None of these"]])),
        field("python", "Python", "The interpreter; python3 when empty.", text, { placeholder: "/home/me/venv/bin/python" }),
        field("directory", "Folder", "Where the ranks run; a folder of the job's own when empty.", text, { placeholder: "/home/me/project" }),
        field("environment", "Variables", "NAME=value, one per line. The values are never shown again.", pairs),
      ],
    },
    {
      title: "Failures and limits",
      fields: [
        field("retries", "Retries", "After an unexplained failure.", number, { min: 0, max: 100, placeholder: "0" }),
        field("repairs", "Repairs", "Retries after a fault that can be repaired or avoided.", number, { min: 0, max: 100, placeholder: "3" }),
        field("time_limit_s", "Time limit", "Of an attempt: seconds, or as 90m or 2h; none when empty.", time, { placeholder: "2h", class: "short" }),
        field("checkpoint_directory", "Checkpoints", "Passed to every attempt as LOCKSTEP_CHECKPOINT_DIR.", text, { placeholder: "/home/me/checkpoints" }),
      ],
    },
    {
      title: "Queue and cluster",
      fields: [
        field("priority", "Priority", "Higher runs first.", number, { min: -1000, max: 1000, placeholder: "0" }),
        field("labels", "Labels", "NAME=value, one per line, to find the job by.", pairs, { rows: 2 }),
        field("engine", "Runs on", "Where the ranks run.", choice([["", "The service's own choice"], ["local", "This machine"], ["slurm", "Slurm"], ["kubernetes", "Kubernetes"]])),
        field("nodes", "Nodes", "Number of cluster nodes to spread the ranks over.", number, { min: 1, max: 4096 }),
        field("partition", "Partition", "Of Slurm.", text),
        field("account", "Account", "To which Slurm charges the job.", text),
      ],
    },
  ];
}

function workersIn(written: string): JobRequest["workers"] | undefined {
  const match = /^(\d+)(?::(\d+))?$/.exec(written);
  if (!match) return undefined;
  return match[2] === undefined ? Number(match[1]) : { min: Number(match[1]), max: Number(match[2]) };
}

function workersAs(workers: JobRequest["workers"]): string {
  return typeof workers === "number" ? String(workers) : `${workers.min}:${workers.max}`;
}

// The hosts of a job and what lies between them, as the check before its start saw it.

import type { View } from "../../report";
import type { Job } from "../../service/jobs";
import { copyable } from "../../ui/copy";
import { h, replaceChildren } from "../../ui/dom";
import { plural } from "../../ui/words";
import { betweenHosts } from "../hosts/between_hosts";

export function networkTab(job: () => Job): View {
  const element = h("div", { class: "network" });
  return {
    element,
    arrive: () => replaceChildren(element, betweenHosts({ hosts: job().check?.matrix ?? [], measures: null }) || nothingBetween(job())),
  };
}

function nothingBetween(job: Job): HTMLElement {
  const ranks = job.last_attempt?.workers ?? job.request.workers;
  const [title, text] = (job.engine ?? "local") === "local"
    ? [ranks === 1 ? "It runs on one host" : `All ${typeof ranks === "number" ? plural(ranks, "rank") : "ranks"} run on one host`,
      "They talk to each other within the machine of the service, so there is no way between hosts that a firewall could close or a slow link could hold up."]
    : ["Nothing is known of the ways between its hosts", "The check before its start had no facts of the hosts: it looked at the command, its environment and its files alone."];
  return h("div", { class: "empty" },
    h("h2", {}, title),
    h("p", {}, text),
    h("p", {}, "What a job on several hosts would meet, blocked ways, latency and bandwidth, can be asked before it starts:"),
    copyable("lockstep check --probe-matrix --host node1,node2 -o network.html -- torchrun --nnodes 2 train.py"));
}

// The verdict first: what happened, who began it, what proves it, what to do, and what could not be seen.

import type { CodePlace, Evidence, Finding } from "../data/contents";
import type { Report, View } from "../report";
import { copyable, copyButton } from "../ui/copy";
import { h, visible } from "../ui/dom";
import { prose } from "../ui/prose";
import { href } from "../ui/route";
import { confidence, plural, rankWord } from "../ui/words";
import { betweenHosts } from "./hosts/between_hosts";
import { callSides } from "./call_sides";
import { jobFacts } from "./job_facts";
import { rankStrip } from "./rank_strip";


export function findingsView(report: Report): View {
  const { findings, limits } = report.findings;
  const { stories, articles } = tell(report, findings);
  const element = h(
    "div",
    { class: "findings" },
    h("div", { class: "verdicts" }, findings.length > 0 ? stories : nothingWrong(report), betweenHosts(report.contents)),
    h("aside", {}, jobFacts(report), limitsOf(limits, report.contents.bounds)),
  );
  return {
    element,
    arrive: (item) => {
      const wanted = articles[Number(item) - 1];
      const folded = wanted?.closest("details");
      if (folded) folded.open = true;
      if (wanted) requestAnimationFrame(() => wanted.scrollIntoView({ block: "start" }));
    },
  };
}

// A cause and what it explains, as places in the list of findings.
interface Story {
  cause: number;
  followers: number[];
}

function storiesOf(findings: Finding[]): Story[] {
  const stories: Story[] = [];
  findings.forEach((finding, i) => {
    const told = stories.find((story) => findings[story.cause].code === finding.consequence_of);
    if (told) told.followers.push(i);
    else stories.push({ cause: i, followers: [] });
  });
  return stories;
}

// The causes, each with what it explains folded into it; and every finding's own article, in their order.
export function tell(report: Report, findings: Finding[]): { stories: HTMLElement[]; articles: HTMLElement[] } {
  const articles = findings.map((finding, i) => findingArticle(report, finding, i));
  return { stories: storiesOf(findings).map((story) => storyOf(story, findings, articles)), articles };
}

function storyOf(story: Story, findings: Finding[], articles: HTMLElement[]): HTMLElement {
  const cause = articles[story.cause];
  if (story.followers.length === 0) return cause;
  cause.append(h("section", { class: "followers" },
    h(story.cause === 0 ? "h2" : "h3", { class: "sub" }, "Consequences and other signs"),
    story.followers.map((i) => h("details", {}, h("summary", {}, prose(findings[i].title)), articles[i]))));
  return cause;
}

function nothingWrong(report: Report): HTMLElement {
  const seen = report.findings.job.ranks_seen.length;
  return h(
    "article",
    { class: "finding clear" },
    h("h1", {}, "Nothing wrong was found"),
    h("p", {}, seen > 0
      ? `${plural(seen, "rank")} left evidence, and none of it shows a fault. `
      : "What was read shows no fault. ",
      "If the job failed all the same, look at the missing information, and give Lockstep the logs of every rank."),
  );
}

export function findingArticle(report: Report, finding: Finding, index: number): HTMLElement {
  const heading = (text: string) => h(index === 0 ? "h2" : "h3", { class: "sub" }, text);
  return h(
    "article",
    { class: index === 0 ? "finding first" : "finding", id: `finding-${index + 1}` },
    h(
      "p",
      { class: "kicker" },
      h("a", { href: href("catalogue", finding.code), title: "What this code means" }, finding.code),
      h("span", {}, finding.leaf),
      h("span", { class: "confidence" }, meter(finding.confidence), confidence(finding.confidence)),
    ),
    h(index === 0 ? "h1" : "h2", {}, prose(finding.title)),
    who(report, finding),
    codePlaces(finding),
    rankStrip(report, finding),
    callSides(report, finding, index),
    finding.explanation && h("p", { class: "explanation" }, prose(finding.explanation)),
    finding.evidence.length > 0 && h("section", {}, heading("Evidence"), h("ol", { class: "evidence" }, finding.evidence.map((one, i) => evidence(report, one, index, i)))),
    finding.fixes.length > 0 && h("section", {}, heading("What to do"), h("ol", { class: "fixes" }, finding.fixes.map(fix))),
  );
}

// Where in the user's code it happened, unless the sides beside each other say so.
function codePlaces(finding: Finding): HTMLElement | false {
  const places = finding.places ?? [];
  if (places.length === 0) return false;
  const words = ({ file, line, function: inside, ranks }: CodePlace) =>
    `${file}:${line}${inside && inside !== "<module>" ? ` in ${inside}` : ""}${ranks && ranks.length > 0 ? ` (${rankWord(ranks)})` : ""}`;
  return h("p", { class: "code-places" }, "At ", places.slice(0, 2).flatMap((place, i) => [i > 0 && "; ", h("code", {}, visible(words(place)))]));
}

function meter(value: number): HTMLElement {
  const fill = h("i");
  fill.style.width = `${Math.round(value * 100)}%`;
  return h("span", { class: "meter", "aria-hidden": "true" }, fill);
}

function who(report: Report, finding: Finding): HTMLElement | false {
  const { root_ranks: roots, victim_ranks: victims } = finding;
  if (roots.length === 0 && victims.length === 0) return false;
  return h(
    "p",
    { class: "who" },
    roots.length > 0 && h("span", { class: "guilty" }, "Root cause: ", h("b", {}, "▶ " + rankWord(roots))),
    victims.length > 0 && h("span", { class: "victims" }, "Affected: ", rankWord(victims)),
    report.places.hasTimeline(report) && h("a", { href: report.places.href("timeline", roots.length > 0 ? { rank: roots[0], at: "end" } : { at: "end" }) }, "See it on the timeline"),
  );
}

function evidence(report: Report, one: Evidence, finding: number, index: number): HTMLElement {
  const place = one.file ? (one.line ? `${one.file}:${one.line}` : one.file) : "(no file)";
  const link = report.places.evidence(report, one, finding, index);
  const origin = [one.rank !== undefined && `rank ${one.rank}`, one.level && one.level !== "seen" && one.level].filter(Boolean).join(", ");
  return h(
    "li",
    {},
    h("div", { class: "place" }, link ? h("a", { href: link.href, title: link.says }, visible(link.name ?? place)) : h("span", {}, visible(place)), origin && h("span", { class: "origin" }, origin), link && h("span", { class: "origin" }, "→ " + link.where)),
    h("pre", { tabindex: 0 }, visible(one.text)),
  );
}

function fix(one: Finding["fixes"][number]): HTMLElement {
  return h(
    "li",
    {},
    h("p", { class: "fix-title" }, h("b", {}, prose(one.title))),
    one.steps.length > 0 && h("ul", {}, one.steps.map((step) => h("li", {}, prose(step)))),
    one.commands.map((command) => copyable(visible(command))),
  );
}

export function limitsOf(limits: string[], bounds: string[]): HTMLElement {
  return h(
    "section",
    { class: "card limits" },
    h("h2", {}, "Missing information"),
    limits.length > 0
      ? h("ul", {}, limits.map((limit) => {
          const command = /^to learn more: (.*)$/s.exec(limit)?.[1];
          return h("li", {}, prose(limit), command && copyButton(command, "it"));
        }))
      : h("p", { class: "muted" }, "Nothing that was read was missing or damaged."),
    bounds.length > 0 && h("h3", {}, "What this page leaves out"),
    bounds.length > 0 && h("ul", {}, bounds.map((bound) => h("li", {}, bound))),
  );
}


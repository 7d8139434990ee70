// The jobs of a service as the whole page: the list, one job, the form, the catalogue.

import { catalogueIn, ownBlocks } from "./data/embedded";
import type { View } from "./report";
import { takeTokenFromAddress } from "./service/api";
import { h, replaceChildren } from "./ui/dom";
import { frame } from "./ui/frame";
import { currentRoute, href, type Route } from "./ui/route";
import { catalogueView } from "./views/catalogue";
import { jobListView } from "./views/jobs/job_list";
import { jobView, type JobView } from "./views/jobs/job_view";
import { submitForm } from "./views/jobs/submit_form";

const tabs = [
  { name: "jobs", title: "Jobs" },
  { name: "submit", title: "Submit" },
  { name: "catalogue", title: "Catalogue" },
];

export function showService(about: { version: string }, app: HTMLElement): void {
  takeTokenFromAddress();
  let view: View | undefined;
  let job: { id: string; view: JobView } | undefined;
  const searched = () => (job && view === job.view ? job.view.current() : view);
  const { main, mark } = frame(app, tabs, [
    { key: "/", says: "search", run: () => searched()?.search?.focus() },
    { key: "f", says: "follow the log of a job", run: () => job?.view.follow() },
    { key: "c", says: "end the job that is shown", run: () => job?.view.cancel() },
    { key: "r", says: "run the job that is shown again", run: () => job?.view.retry() },
  ], `lockstep ${about.version}. This page loads nothing from elsewhere.`);

  const catalogue = catalogueIn.bind(null, ownBlocks);
  const kept: Record<string, View> = {
    jobs: jobListView(),
    catalogue: catalogueView({ catalogue: once(catalogue), findings: { schema: "", job: { framework: "", backend: "", ranks_seen: [] }, findings: [], limits: [] } }),
  };
  const viewFor = (route: Route): View => {
    const id = route.item.split("/")[0];
    if (route.view === "job" && job?.id !== id) job = { id, view: jobView(id) };
    else if (route.view !== "job") job = undefined;
    if (job) return job.view;
    return route.view === "submit" ? submitForm() : (kept[route.view || "jobs"] ?? lost());
  };
  const show = () => {
    takeTokenFromAddress();
    const route = currentRoute();
    const next = viewFor(route);
    if (next !== view) {
      view?.leave?.();
      replaceChildren(main, next.element);
      scrollTo(0, 0);
      view = next;
    }
    mark(route.view === "job" || !route.view ? "jobs" : route.view);
    if (route.view !== "job") document.title = `${tabs.find((tab) => tab.name === route.view)?.title ?? "Jobs"} · Lockstep`;
    view.arrive?.(route.item, route.query);
  };
  addEventListener("hashchange", show);
  show();
}

function lost(): View {
  return { element: h("div", { class: "empty" }, h("h1", {}, "There is nothing here"), h("p", {}, h("a", { href: href("jobs") }, "All jobs"))) };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

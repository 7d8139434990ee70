// Where the page is, kept in the address so that every place can be linked to: #/logs?file=job.out&line=12

export interface Route {
  view: string;
  item: string;
  query: URLSearchParams;
}

export function currentRoute(): Route {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...rest] = path.split("/");
  return { view: view || "findings", item: decodeURIComponent(rest.join("/")), query: new URLSearchParams(query) };
}

export function href(view: string, item = "", query: Record<string, string | number> = {}): string {
  const text = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString();
  return `#/${view}${item ? "/" + encodeURIComponent(item) : ""}${text ? "?" + text : ""}`;
}

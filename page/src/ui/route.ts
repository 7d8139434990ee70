// Where the page is, kept in the address so that every place can be linked to: #/logs?file=job.out&line=12

export interface Route {
  view: string;
  item: string;
  query: URLSearchParams;
}

export type Query = Record<string, string | number>;

export function currentRoute(): Route {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view = "", ...rest] = path.split("/");
  return { view, item: rest.map(decodeURIComponent).join("/"), query: new URLSearchParams(query) };
}

export function href(view: string, item = "", query: Query = {}): string {
  const text = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString();
  const place = item.split("/").map(encodeURIComponent).join("/");
  return `#/${view}${item ? "/" + place : ""}${text ? "?" + text : ""}`;
}

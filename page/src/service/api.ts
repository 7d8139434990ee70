// Requests to the service that the page came from. The token is kept for this tab alone and sent in a header:
// it is in no address, no cookie and no file.

const tokenKey = "lockstep-token";

export interface FieldFault {
  pointer: string;
  detail: string;
}

// A refusal, with what the service says of it.
export class Refusal extends Error {
  constructor(readonly status: number, readonly code: string, title: string, readonly detail = "", readonly hint = "", readonly errors: FieldFault[] = []) {
    super(title);
  }
}

export class Unreachable extends Error {
  constructor() {
    super("The service does not answer");
  }
}

export function takeTokenFromAddress(): void {
  const [, token, place] = /^#token=([\w-]+)(\/[\w/-]*)?$/.exec(location.hash) ?? [];
  if (!token) return;
  setToken(token);
  history.replaceState(null, "", `${location.pathname}#${place ?? "/jobs"}`);
}

export function setToken(token: string): void {
  sessionStorage.setItem(tokenKey, token.trim());
}

export function forgetToken(): void {
  sessionStorage.removeItem(tokenKey);
}

function headersWith(more: Record<string, string>): Headers {
  const headers = new Headers(more);
  const token = sessionStorage.getItem(tokenKey);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  return headers;
}

async function refusalOf(answer: Response): Promise<Refusal> {
  try {
    const { code, title, detail, hint, errors } = await answer.json();
    return new Refusal(answer.status, code, title, detail, hint, errors);
  } catch {
    return new Refusal(answer.status, "unknown", `The service answered with status ${answer.status}`);
  }
}

export async function ask(path: string, options: { method?: string; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method: options.method ?? "GET",
      body: options.body === undefined ? null : JSON.stringify(options.body),
      headers: headersWith(options.headers ?? {}),
      signal: options.signal ?? null,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Unreachable();
  }
  if (!answer.ok) throw await refusalOf(answer);
  return answer;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask(path, { signal })).json() as Promise<T>;
}

// A repeat of the same request is harmless: it carries the same key.
export async function post<T>(path: string, body?: unknown): Promise<T> {
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return (await ask(path, { method: "POST", body, headers: { "Idempotency-Key": key } })).json() as Promise<T>;
}

// Server-sent events over fetch, which can send the token; EventSource cannot. A connection that breaks is taken up
// again behind the last event that came.

import { ask, Refusal } from "./api";

export interface StreamEvent {
  id: string;
  kind: string;
  data: string;
}

export interface Listener {
  events(events: StreamEvent[]): void;
  state(state: "open" | "lost" | "ended"): void;
  refused(refusal: Refusal): void;
}

const firstPauseMs = 500;
const longestPauseMs = 10_000;

export function follow(path: string, listener: Listener): () => void {
  const stop = new AbortController();
  void run(path, listener, stop.signal);
  return () => stop.abort();
}

async function run(path: string, listener: Listener, signal: AbortSignal): Promise<void> {
  let last = "";
  let pause = firstPauseMs;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (last) headers["Last-Event-ID"] = last;
      const answer = await ask(path, { headers, signal });
      listener.state("open");
      pause = firstPauseMs;
      const isEnded = await read(answer.body!, (events) => {
        last = events.reduce((id, event) => event.id || id, last);
        listener.events(events);
      });
      if (isEnded) return listener.state("ended");
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refusal) return listener.refused(error);
    }
    if (signal.aborted) return;
    listener.state("lost");
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, longestPauseMs);
  }
}

// Whether the stream said that it ends.
async function read(body: ReadableStream<Uint8Array>, take: (events: StreamEvent[]) => void): Promise<boolean> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return false;
    text += decoder.decode(value, { stream: true });
    const parts = text.split("\n\n");
    text = parts.pop()!;
    const events = parts.map(eventIn).filter((event) => event.data !== "");
    if (events.length > 0) take(events);
    if (events.some((event) => event.kind === "end")) return true;
  }
}

function eventIn(text: string): StreamEvent {
  const event = { id: "", kind: "message", data: "" };
  for (const line of text.split("\n")) {
    if (line.startsWith("id: ")) event.id = line.slice(4);
    else if (line.startsWith("event: ")) event.kind = line.slice(7);
    else if (line.startsWith("data: ")) event.data += line.slice(6);
  }
  return event;
}

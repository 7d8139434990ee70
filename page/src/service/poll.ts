// Asking again and again while somebody looks; nothing is asked for a tab in the background.

const pauseMs = 1000;

export interface Poll {
  now(): void;
  stop(): void;
}

// `look` gives whether there is a reason to look again.
export function poll(look: (signal: AbortSignal) => Promise<boolean>): Poll {
  const stopped = new AbortController();
  let timer = 0;
  let isLooking = false;
  const run = async () => {
    clearTimeout(timer);
    if (isLooking || stopped.signal.aborted) return;
    if (document.visibilityState === "hidden") return;
    isLooking = true;
    const goesOn = await look(stopped.signal);
    isLooking = false;
    if (goesOn && !stopped.signal.aborted) timer = window.setTimeout(run, pauseMs);
  };
  const wake = () => document.visibilityState === "visible" && void run();
  document.addEventListener("visibilitychange", wake);
  void run();
  return {
    now: () => void run(),
    stop: () => {
      stopped.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", wake);
    },
  };
}

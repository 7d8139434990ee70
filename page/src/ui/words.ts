// Numbers, times and ranks as people write them.

export function ranks(all: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < all.length; ) {
    let end = i + 1;
    while (end < all.length && all[end] === all[end - 1] + 1) end++;
    parts.push(end - i === 1 ? `${all[i]}` : `${all[i]}–${all[end - 1]}`);
    i = end;
  }
  const shown = parts.slice(0, 12).join(", ");
  const hidden = parts.length - 12;
  return hidden > 0 ? `${shown} and ${hidden} more runs` : shown;
}

export function rankWord(all: readonly number[]): string {
  return all.length === 1 ? `rank ${all[0]}` : `ranks ${ranks(all)}`;
}

export function duration(us: number): string {
  const size = Math.abs(us);
  if (size < 1000) return `${round(us)} µs`;
  if (size < 1e6) return `${round(us / 1e3)} ms`;
  if (size < 60e6) return `${round(us / 1e6)} s`;
  const seconds = Math.round(us / 1e6);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function round(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2);
}

export function count(value: number): string {
  return value.toLocaleString("en-US").replace(/,/g, "\u202f");
}

export function share(value: number): string {
  return value > 0 && value < 0.01 ? "<1%" : `${Math.round(value * 100)}%`;
}

export function plural(value: number, one: string, many = one + "s"): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function confidence(value: number): string {
  const word = 
    value >= 0.95 ? "almost certain" : value >= 0.8 ? "very likely" : value >= 0.6 ? "likely" : value >= 0.3 ? "possible" : "a guess";
  return `${word} (${Math.round(value * 100)}%)`;
}

export function wallClock(beginNs: string, us: number): string {
  return new Date(Number(BigInt(beginNs) / 1000n) / 1000 + us / 1000).toISOString().replace("T", " ").replace("Z", " UTC");
}

// "14:03:21" of today, else with its day; in the reader's own time.
export function moment(iso: string | null): string {
  if (!iso) return "–";
  const at = new Date(iso);
  const time = clock(at);
  const isToday = at.toDateString() === new Date().toDateString();
  return isToday ? time : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

// "19 Nov 14:03", of another year "19 Nov 2025 14:03".
export function day(iso: string): string {
  const at = new Date(iso);
  const isThisYear = at.getFullYear() === new Date().getFullYear();
  const month = at.toLocaleString("en-GB", { month: "short" });
  return `${at.getDate()} ${month}${isThisYear ? "" : ` ${at.getFullYear()}`} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

const two = (value: number) => String(value).padStart(2, "0");

export function clock(at: Date): string {
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function took(from: string | null, to: string | null): string {
  if (!from) return "–";
  const end = to ? Date.parse(to) : Date.now();
  const seconds = Math.max(0, end - Date.parse(from)) / 1000;
  return seconds < 10 && to ? `${seconds.toFixed(1)} s` : duration(1e6 * Math.round(seconds));
}

// What people write in a field, read as a value: sizes, lengths of time, the words of a command line.

// "512M", "8G", "2T"; a number alone counts bytes. Nothing: it is none of those.
export function bytesIn(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?|b)?$/i.exec(text.trim());
  if (!match) return undefined;
  const power = match[2] ? "kmgt".indexOf(match[2].toLowerCase()) + 1 : 0;
  return Math.round(Number(match[1]) * 1024 ** power);
}

export function bytesAs(bytes: number): string {
  for (const [unit, size] of [["G", 2 ** 30], ["M", 2 ** 20]] as const) if (bytes % size === 0) return `${bytes / size}${unit}`;
  return String(bytes);
}

// "3600", "90m", "2h", "1h 30m", "1d".
export function secondsIn(text: string): number | undefined {
  const clean = text.trim().toLowerCase();
  if (/^\d+$/.test(clean)) return Number(clean);
  if (!/^(\d+(\.\d+)?\s*[smhd]\s*)+$/.test(clean)) return undefined;
  const each = { s: 1, m: 60, h: 3600, d: 86_400 };
  return Math.round([...clean.matchAll(/(\d+(?:\.\d+)?)\s*([smhd])/g)].reduce((sum, [, number, unit]) => sum + Number(number) * each[unit as keyof typeof each], 0));
}

// As a shell parts them: by spaces and lines, except within quotes and behind a backslash. Nothing: a quote has no end.
export function wordsIn(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quote) {
      if (c === quote) quote = "";
      else if (c === "\\" && quote === '"' && i + 1 < text.length) word += text[++i];
      else word += c;
    } else if (c === "'" || c === '"') {
      quote = c;
      word ??= "";
    } else if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? "") + (c === "\\" && i + 1 < text.length ? text[++i] : c);
    }
  }
  if (quote) return undefined;
  if (word !== null) words.push(word);
  return words;
}

export function wordsAs(words: string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`)).join(" ");
}

// "NAME=value", one on each line.
export function pairsIn(text: string): Record<string, string> | undefined {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  if (!lines.every((line) => /^[^=\s]+=/.test(line))) return undefined;
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

export function pairsAs(pairs: Record<string, string>): string {
  return Object.entries(pairs).map(([name, value]) => `${name}=${value}`).join("\n");
}

/** A duration for people: `1m 12s`, `3.4s`, `120ms`. */
export function formatMs(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1000);
  return seconds === 60 ? `${minutes + 1}m 0s` : `${minutes}m ${seconds}s`;
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600 };

/** The seconds in `90`, `90s`, `15m` or `1h30m`; undefined for anything else. */
export function parseSeconds(text: string): number | undefined {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  if (!/^(\d{1,6}[smh])+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+)([smh])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * (UNITS[unit ?? 's'] ?? 0),
    0,
  );
}

/** Go's way of writing durations, as in kubeadm's configuration: `5m0s`, `1h30m`, `90s`, `1.5s`. */

const UNITS: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 };

/** Seconds; undefined when the text is not a duration. */
export function parseGoDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d*)?(h|ms|m|s|us|µs|ns))+$/.test(text)) return text === '0' ? 0 : undefined;
  let seconds = 0;
  for (const [, number, , unit] of text.matchAll(/(\d+(\.\d*)?)(h|ms|m|s|us|µs|ns)/g)) {
    seconds += Number(number) * (UNITS[unit ?? ''] ?? 0);
  }
  return seconds;
}

/** Whole seconds in Go's own form: 60 gives `1m0s`. */
export function formatGoDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}

/**
 * Would Go's own reader take it? More than `parseGoDuration` understands: signs, and fractions without a
 * leading zero.
 */
export function isGoDuration(text: string): boolean {
  return /^[-+]?((\d+(\.\d*)?|\.\d+)(h|ms|m|s|us|µs|μs|ns))+$/.test(text) || /^[-+]?0$/.test(text);
}

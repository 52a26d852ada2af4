const closers = new Set<() => Promise<void>>();
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Run `close` when a signal asks this process to end; then the signal does what it would have done.
 * Returns how to take that back.
 */
export function closeOnSignals(close: () => Promise<void>): () => void {
  if (closers.size === 0) for (const signal of SIGNALS) process.on(signal, onSignal);
  closers.add(close);
  return () => {
    closers.delete(close);
    if (closers.size === 0) for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

let ending = false;

function onSignal(signal: NodeJS.Signals): void {
  // A second Ctrl-C ends at once: the switch's holder then takes away what is left.
  const end = (): void => {
    for (const name of SIGNALS) process.off(name, onSignal);
    process.kill(process.pid, signal);
  };
  if (ending) {
    end();
    return;
  }
  ending = true;
  Promise.allSettled([...closers].map((close) => close())).then(end);
}

/** Aborts when the agent is asked to stop: Ctrl-C, `systemctl stop`, shutdown. A second signal ends it at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => controller.abort());
  }
  return controller.signal;
}

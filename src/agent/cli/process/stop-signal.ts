/**
 * Aborts when the agent is asked to stop: Ctrl-C, `systemctl stop`, shutdown. A second signal ends it at once.
 *
 * @param controller aborted by what else stops the agent
 */
export function stopSignal(controller = new AbortController()): AbortSignal {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => controller.abort());
  }
  return controller.signal;
}

import { basename } from 'node:path';

/** The agent's entry: which program is meant (by name, as busybox does), its exit status, nothing else. */
async function main(): Promise<number> {
  if (basename(process.argv0) === 'kubeadm') {
    const { shim } = await import('./agent/cli/shim.ts');
    return shim(process.argv.slice(2));
  }
  const { run } = await import('./agent/cli/program.ts');
  return run(process.argv.slice(2));
}

process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  // Whoever read what is printed has gone (`slipway plan | head`): the rest goes unseen, the work goes on.
  if (error.code === 'EPIPE' && error.syscall === 'write') return;
  complain(error);
  process.exit(1);
});

main().then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    complain(error);
    process.exitCode = 1;
  },
);

function complain(error: unknown): void {
  process.stderr.write(`slipway: ${error instanceof Error ? error.message : String(error)}\n`);
}

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

main().then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.stderr.write(`slipway: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);

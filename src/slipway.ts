import { basename } from 'node:path';
import { crash, tell } from './agent/cli/crash.ts';

/** The agent's entry: which program is meant (by name, as busybox does), its exit status, nothing else. */
async function main(): Promise<number> {
  if (basename(process.argv0) === 'kubeadm') {
    const { shim } = await import('./agent/cli/shim.ts');
    return shim(process.argv.slice(2));
  }
  const { run } = await import('./agent/cli/program.ts');
  return run(process.argv.slice(2));
}

process.on('uncaughtException', crash);

main().then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    tell(error);
    process.exitCode = 1;
  },
);

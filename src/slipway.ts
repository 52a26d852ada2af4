import { start } from './agent/cli/process/crash.ts';
import { calledAs } from './agent/cli/process/invocation-name.ts';

/** The agent's entry: which program is meant (by name, as busybox does), its exit status, nothing else. */
start(async () => {
  if (calledAs() === 'kubeadm') {
    const { shim } = await import('./agent/cli/shim/shim.ts');
    return shim(process.argv.slice(2));
  }
  const { run } = await import('./agent/cli/program.ts');
  return run(process.argv.slice(2));
});

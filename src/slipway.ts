import { runToExitStatus } from './agent/cli/process/crash.ts';
import { invocationName } from './agent/cli/process/invocation-name.ts';

/** The agent's entry: which program is meant (by name, as busybox does), its exit status, nothing else. */
runToExitStatus(async () => {
  if (invocationName() === 'kubeadm') {
    const { shim } = await import('./agent/cli/shim/shim.ts');
    return shim(process.argv.slice(2));
  }
  const { run } = await import('./agent/cli/program.ts');
  return run(process.argv.slice(2));
});

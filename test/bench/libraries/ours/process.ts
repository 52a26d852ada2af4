import { runCommand } from '../../../../src/agent/host/linux/process/processes.ts';

/** Runs /bin/true as the agent runs programs. */
export async function run(): Promise<void> {
  const { exitStatus } = await runCommand('/', { argv: ['/bin/true'] });
  process.exitCode = exitStatus;
}

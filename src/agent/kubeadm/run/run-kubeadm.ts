/** Runs kubeadm so that it outlives the agent: the next agent finds it and learns how it ended. */
import type { Host } from '../../host/host.ts';
import { SHAPED_CONFIG } from '../config/shaped-arguments.ts';
import { progressReader } from './progress.ts';
import { kubeadmEnvironment } from './real-kubeadm.ts';

/** Name of the durable run; one kubeadm at a time on a machine. */
const KUBEADM_RUN = 'kubeadm';

type Argv = [string, ...string[]];

export interface RunSpec {
  /** Path of the real kubeadm. */
  path: string;
  verb: 'init' | 'join';
  /** Everything behind the verb. */
  args: string[];
  /** Added to the environment, e.g. proxy settings; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  /** Wraps program and arguments, so that kubeadm inherits what the commands before it left. */
  inherit?: (argv: Argv) => Argv;
  /** Ends kubeadm (SIGTERM first). */
  signal?: AbortSignal;
  /** A line worth telling, without secrets. */
  onProgress?: (message: string) => void;
  /** Every line as kubeadm printed it, for handing it on to a terminal; may hold secrets. */
  onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
}

export interface KubeadmRun {
  /** Undefined when kubeadm left no status: a power loss, or something killed it together with its guard. */
  exitStatus: number | undefined;
  /** Raw output: may hold secrets, so it goes to those who look for the cause (`classify`, `diagnose`), and nowhere else. */
  stdout: string;
  stderr: string;
  ms: number;
  /** An earlier agent had begun this run. */
  adopted: boolean;
}

/** Looks for a kubeadm of an earlier agent that still runs, or whose end nobody has noted. */
export async function findEarlierRun(host: Host): Promise<'running' | 'ended' | 'vanished' | undefined> {
  return host.processes.findDurable(KUBEADM_RUN);
}

/**
 * Runs kubeadm, or takes over the run that an earlier agent began, and waits for its end. Does not throw for
 * kubeadm's failure; throws HostError when it cannot be started. Call `clearRun` once the result is in the
 * journal.
 */
export async function runKubeadm(host: Host, spec: RunSpec): Promise<KubeadmRun> {
  const earlier = await findEarlierRun(host);
  const read = progressReader();
  const argv: Argv = [spec.path, spec.verb, ...spec.args];
  const result = await host.processes.runDurable({
    name: KUBEADM_RUN,
    argv: spec.inherit?.(argv) ?? argv,
    env: { ...spec.env, ...kubeadmEnvironment() },
    ...(spec.signal === undefined ? {} : { signal: spec.signal }),
    onLine: (line, stream) => {
      spec.onLine?.(line, stream);
      const message = read(line, stream);
      if (message !== undefined) spec.onProgress?.(message);
    },
  });
  return { ...result, adopted: earlier === 'running' || earlier === 'ended' };
}

/**
 * Forgets the run's files, so that the next one starts anew, and the copy of the configuration, which holds a
 * token.
 */
export async function clearRun(host: Host): Promise<void> {
  await host.processes.forgetDurable(KUBEADM_RUN);
  await host.files.remove(SHAPED_CONFIG);
}

import { BACKOFF, backoffMs } from '../../../kit/backoff.ts';
import { redact } from '../../../secrets/redact.ts';
import type { Host } from '../../host/host.ts';
import type { CommandResult } from '../../host/processes.ts';
import { kubeadmEnvironment } from '../run/real-kubeadm.ts';

interface ResetSpec {
  kubeadmPath: string;
  certDir?: string;
  /** Where there are several container runtimes, kubeadm asks to be told. */
  criSocket?: string | undefined;
  skipPhases?: readonly string[];
  timeoutMs: number;
  /** A line of kubeadm, without secrets. */
  onLine?: ((line: string) => void) | undefined;
}

interface ResetResult extends CommandResult {
  /** What kubeadm said of pods that it could not remove, also when it ended well; undefined if none are left. */
  podsLeft: string | undefined;
  /** The runtime knows of them. Else it is down or not there, and nobody knows whether there are any. */
  arePodsKnown: boolean;
}

/** How long a runtime may take to be done with a container that it is just starting. */
const REMOVAL_MS = 60_000;
const NOT_REMOVED = /\[reset\] Failed to remove containers: (.*)/;

/**
 * Runs `kubeadm reset --force`, and while pods are left the phase of it that removes them. A container that the kubelet
 * was just starting can be removed only when the runtime is done with it (seen with 1.20 and containerd 1.6); kubeadm does not
 * wait for that, warns, ends with 0, and container and pod stay.
 */
export async function kubeadmReset(host: Host, spec: ResetSpec): Promise<ResetResult> {
  const places = [
    ...(spec.certDir === undefined ? [] : [`--cert-dir=${spec.certDir}`]),
    ...(spec.criSocket === undefined ? [] : [`--cri-socket=${spec.criSocket}`]),
  ];
  const skipped = (spec.skipPhases ?? []).map((phase) => `--skip-phases=${phase}`);
  const result = await run(host, spec, ['reset', '--force', ...places, ...skipped]);
  const end = host.clock.monotonic() + REMOVAL_MS;
  let left = podsLeftBy(result);
  for (let looks = 1; areKnown(left) && host.clock.monotonic() < end; looks += 1) {
    await host.clock.sleep(backoffMs(looks, BACKOFF.local, () => host.random()));
    const again = await run(host, spec, ['reset', 'phase', 'cleanup-node', ...places]);
    // One that has not come through says nothing of pods.
    if (again.exitStatus === 0) left = podsLeftBy(again);
  }
  return { ...result, podsLeft: left, arePodsKnown: areKnown(left) };
}

function run(
  host: Host,
  { kubeadmPath, timeoutMs, onLine }: ResetSpec,
  args: string[],
): Promise<CommandResult> {
  return host.processes.run({
    argv: [kubeadmPath, ...args],
    env: kubeadmEnvironment(),
    timeoutMs,
    onLine: (line) => onLine?.(redact(line)),
  });
}

function podsLeftBy({ stderr }: CommandResult): string | undefined {
  const said = NOT_REMOVED.exec(stderr)?.[1];
  return said && redact(said);
}

/** Waiting for a runtime that does not even tell its pods is not a reset's to do. */
function areKnown(said: string | undefined): boolean {
  return said !== undefined && /failed to (?:stop|remove) /.test(said);
}

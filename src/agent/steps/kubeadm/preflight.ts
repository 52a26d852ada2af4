import { pluralize } from '../../../kit/pluralize.ts';
import { tellTogether } from '../../../kit/sentences/alike.ts';
import { codes } from '../../../protocol/codes/codes.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import type { Expectations } from '../../document/node-settings.ts';
import { failure } from '../../engine/failure.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import { isStillJoined } from '../../kubeadm/repeat/joined.ts';
import { hasSucceeded } from '../../kubeadm/repeat/success-marker.ts';
import { findEarlierRun } from '../../kubeadm/run/run-kubeadm.ts';
import { checkMachine } from '../../preflight/check-machine.ts';
import type { PreflightFinding } from '../../preflight/checks/check.ts';
import { queryVersions } from '../../preflight/query-versions.ts';
import { stillStarting } from '../../startup/starting.ts';
import type { Work } from '../kind/step-kind.ts';
import { exportedPath } from '../shell/shell-state.ts';

export interface PreflightSpec {
  command: KubeadmCommand;
  mend: boolean;
  expect?: Expectations;
  /** A command after kubeadm may give the machine another address. */
  addressMayCome?: true;
}

/**
 * Checks configuration and machine before kubeadm does, in about a second. What will never come right ends
 * the sequence here. All else becomes a finding, and kubeadm runs.
 */
export const checkBefore: Work<PreflightSpec> = ({ command, mend, expect, addressMayCome }, shared) => ({
  group: 'runcmd',

  async run(context) {
    const { host, signal } = context;
    const { shell, owner, call, runtimeStarted } = shared;
    const earlier = await findEarlierRun(host);
    // kubeadm is at work or has ended and has changed the machine; the next step takes that run over.
    const isOver = await hasSucceeded(host, command.verb, owner);
    if (isOver || earlier === 'running' || earlier === 'ended')
      return { done: true, message: 'kubeadm was run already' };
    // kubeadm's own words about being called again say more than these checks could.
    if (await isStillJoined(host, command.verb))
      return { done: true, message: 'this machine is a node already' };
    const [versions] = await Promise.all([queryVersions(host), runtimeStarted(signal)]);
    const { findings, unanswered, ms } = await checkMachine(host, {
      call: await call(command).read(),
      instance: owner.instance,
      mend,
      expect,
      addressMayCome: addressMayCome ?? false,
      versions,
      searchPath: await exportedPath(host, shell.directory),
    });
    for (const what of unanswered) await context.progress(what);
    const [fatal, ...others] = findings.filter(isFinal);
    // The engine has the step done again then, and what is found again is told then.
    const isTriedAgain = fatal !== undefined && (await stillStarting(host, fatal.code)) !== undefined;
    if (!isTriedAgain) for (const finding of findings) if (!isFinal(finding)) await tell(context, finding);
    if (fatal !== undefined) return refusal(fatal, others);
    return { done: true, message: summary(findings.length, ms) };
  },

  holds: (host) => isStillJoined(host, command.verb),
});

/**
 * kubeadm and its retries deal with what may still come right, such as a container runtime that is starting.
 */
function isFinal({ severity, code, isPermanent }: PreflightFinding): boolean {
  return severity === 'fatal' && (isPermanent === true || codes()[code].persistence === 'permanent');
}

/** What is so only because something still starts warns of nothing. */
async function tell(context: StepContext, { severity, code, message }: PreflightFinding): Promise<void> {
  const starting = severity === 'mended' ? undefined : await stillStarting(context.host, code);
  if (starting !== undefined)
    await context.finding({ severity: 'info', code, message: `${message}; ${starting}` });
  else await context.finding({ severity: severity === 'mended' ? 'info' : 'warning', code, message });
}

function refusal(first: PreflightFinding, others: PreflightFinding[]): StepResult {
  const { code, message, remedy } = first;
  const lines = others.map((other) => `${other.message} [${other.code}]`);
  const { first: told, also } = tellTogether([message, ...others.map((other) => other.message)]);
  return {
    done: false,
    failure: failure(code, capital(`${told}${also}`), { remedy, ...(lines.length > 0 ? { lines } : {}) }),
    retry: 'no',
  };
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function summary(count: number, ms: number): string {
  const what = count === 0 ? 'nothing amiss' : pluralize(count, 'finding');
  return `${what}, ${(ms / 1000).toFixed(1)} s`;
}

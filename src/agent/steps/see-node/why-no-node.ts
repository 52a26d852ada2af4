/** Why there is no node: by what the callers of kubeadm printed, and by how their units stand. Read when that happens. */
import type { Failure } from '../../../protocol/journal.ts';
import { redact } from '../../../secrets/redact.ts';
import type { CallerActivity } from '../../callers/caller-activity.ts';
import type { Callers } from '../../callers/find-callers.ts';
import { type UnitState, unitOutput } from '../../callers/systemd-unit.ts';
import { evidenceFor, explain } from '../../diagnosis/diagnose.ts';
import { diagnoseLog } from '../../diagnosis/diagnose-log.ts';
import { NO_EVIDENCE } from '../../diagnosis/evidence/evidence.ts';
import { gatherEvidence } from '../../diagnosis/evidence/gather.ts';
import { readLines } from '../../diagnosis/transcript/read-lines.ts';
import type { KubeadmFailure } from '../../diagnosis/words/classify.ts';
import type { Host } from '../../host/host.ts';

interface NoNode {
  verb: 'init' | 'join';
  callers: Callers | undefined;
  sight: CallerActivity;
  /** The last lines of the user data's commands. */
  printed: string;
}

/** What somebody who called kubeadm has left to read. */
interface Account {
  text: string;
  /** A file that a caller writes may hold anything, a password too: only words of kubeadm are told of it. */
  isFile?: true;
  exitStatus?: number;
}

const TAIL_BYTES = 512 * 1024;
const KEPT_LINES = 3;
const MOST_UNITS = 8;

type Found = Pick<Failure, 'code' | 'cause' | 'lines' | 'exitStatus'> & Partial<Pick<Failure, 'remedy'>>;

export async function whyNoNode(host: Host, { verb, callers, sight, printed }: NoNode): Promise<Found> {
  const accounts = await accountsOf(host, callers, sight, printed);
  const found = accounts.flatMap((account) => failureIn(account, verb, sight) ?? []);
  const best = found.find(({ base }) => base.code !== 'Unclassified') ?? found[0];
  if (best !== undefined) return inKubeadmsWords(host, verb, best);
  return inOurWords(verb, callers, sight, accounts);
}

/**
 * Has a unit failed because kubeadm did, though the kubelet has its certificate? A join may fail after that, in etcd. What a
 * script did behind a kubeadm that succeeded does not count.
 */
export async function hasKubeadmFailed(host: Host, { verb, sight }: NoNode): Promise<boolean> {
  for (const unit of sight.units.filter(
    ({ active, invocation }) => active === 'failed' && invocation !== '',
  )) {
    const text = await unitOutput(host, { unit: unit.name, ...unit });
    if (diagnoseLog(readLines('log', text), { verb }).result === 'failed') return true;
  }
  return false;
}

async function accountsOf(
  host: Host,
  callers: Callers | undefined,
  { units, busy }: CallerActivity,
  printed: string,
): Promise<Account[]> {
  const accounts: Account[] = [];
  for (const unit of units.filter(({ invocation }) => invocation !== '').slice(0, MOST_UNITS)) {
    // journald may be behind with the first one; it is waited for once.
    const isPatient = busy === undefined && accounts.length === 0;
    const text = await unitOutput(host, { unit: unit.name, ...unit }, isPatient ? undefined : 1);
    accounts.push({ text, ...(unit.end?.how === 'exited' ? { exitStatus: unit.end.status } : {}) });
  }
  for (const path of callers?.logs ?? []) {
    const text = await tail(host, path);
    if (text !== '') accounts.push({ text, isFile: true });
  }
  return [...accounts, { text: printed }];
}

/** What others may have put in its place is not waited for and not followed: a log is a regular file. */
async function tail({ files }: Host, path: string): Promise<string> {
  try {
    const size = (await files.stat(path))?.size ?? 0;
    return (await files.readFrom(path, Math.max(0, size - TAIL_BYTES), TAIL_BYTES)).toString('utf8');
  } catch {
    return '';
  }
}

interface Explained {
  base: KubeadmFailure;
  account: Account;
}

function failureIn(account: Account, verb: NoNode['verb'], { busy }: CallerActivity): Explained | undefined {
  // Of one that is still at work nobody knows that it has failed.
  const end = busy === undefined ? { end: { exitStatus: account.exitStatus || 1 } } : {};
  const verdict = diagnoseLog(readLines('log', account.text), { verb, ...end });
  const base = verdict.failure ?? verdict.likely;
  return base && { base, account };
}

/** Made more exact by what the machine shows, as for a call of our own. */
async function inKubeadmsWords(
  host: Host,
  verb: NoNode['verb'],
  { base, account }: Explained,
): Promise<Found> {
  const input = {
    verb,
    stdout: account.text,
    stderr: '',
    exitStatus: account.exitStatus ?? ('unknown' as const),
  };
  const parts = evidenceFor(base, input);
  const evidence = parts.length === 0 ? NO_EVIDENCE : await gatherEvidence(host, { parts });
  const { code, cause, remedy, lines = [] } = explain(base, input, evidence);
  return { code, cause, remedy, lines: lines.slice(-KEPT_LINES), ...statusOf(account) };
}

const statusOf = ({ exitStatus }: Account): Pick<Found, 'exitStatus'> =>
  exitStatus === undefined || exitStatus === 0 ? {} : { exitStatus };

function inOurWords(
  verb: NoNode['verb'],
  callers: Callers | undefined,
  { busy, units }: CallerActivity,
  accounts: readonly Account[],
): Found {
  const lines = lastLines(accounts);
  if (busy !== undefined) {
    const cause = `The deadline passed before kubeadm ${verb} had made a node of this machine: ${busy}.`;
    return { code: 'DeadlineExceeded', cause, lines };
  }
  const failed = units.find(({ active }) => active === 'failed');
  if (failed !== undefined) {
    const cause = `${failed.name}, which was to call kubeadm ${verb}, failed (${describeEnd(failed)}), and the kubelet has no certificate. What it printed does not show that kubeadm ran.`;
    const remedy = `Read journalctl -u ${failed.name}, correct what failed, and run slipway bootstrap --again.`;
    return { code: 'KubeadmNotTakenOver', cause, remedy, lines };
  }
  const idle = units.find(({ invocation }) => invocation === '');
  if (idle !== undefined && units.every(({ invocation }) => invocation === '')) {
    const later = idle.isEnabled ? ' It is enabled, so the next boot starts it.' : ' It is not enabled.';
    const cause = `Nothing has started ${idle.name}, which was to call kubeadm ${verb}.${later}`;
    const remedy = `Start it in runcmd (systemctl enable --now ${idle.name}), or call kubeadm in runcmd itself.`;
    return { code: 'KubeadmNotTakenOver', cause, remedy, lines: [] };
  }
  const by = callers?.callers[0] === undefined ? '' : `, which ${callers.callers[0].name} calls,`;
  const cause = `All commands have ended, and kubeadm ${verb}${by} has made no node of this machine: the kubelet has no certificate.`;
  return { code: 'KubeadmNotTakenOver', cause, lines };
}

const describeEnd = ({ end, result }: UnitState): string =>
  end === undefined ? result : end.how === 'exited' ? `exit status ${end.status}` : `signal ${end.status}`;

function lastLines(accounts: readonly Account[]): string[] {
  const text = accounts.find((account) => !account.isFile && account.text.trim() !== '')?.text ?? '';
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .slice(-KEPT_LINES)
    .map((line) => redact(line));
}

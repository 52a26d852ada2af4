/**
 * What Slipway remembers of a failed attempt until the node is bootstrapped. After a reboot or a restart of the agent, the
 * next attempt must know as much as it would have known without.
 */
import type { Code } from '../../../protocol/codes/codes.ts';
import { codes } from '../../../protocol/codes/codes.ts';
import { STATE_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';

export const ATTEMPT_NOTE = `${STATE_DIR}/kubeadm-attempt.json`;

export interface AttemptNote {
  /** Instance id, as in the journal; an image may have been made of a machine that failed. */
  instance: string;
  verb: 'init' | 'join';
  code: Code;
  /** kubeadm's phase that failed; absent when nobody knows how far it came. */
  phase?: string;
  /** Id of the etcd member that kubeadm has added, where it told it: decimal, as etcd's gateway writes it. */
  etcdMember?: string;
  /** How often kubeadm has gone on from a failed phase since it last began anew. */
  resumed: number;
  /** Id of the bootstrap token that the cluster has accepted once: when it no longer does, that token has expired. */
  knownToken?: string;
  /** What has been lacking in each of the last attempts, and for how long altogether. */
  lacking?: { what: 'token' | 'route'; seconds: number };
}

const MEMBER =
  /(?:the etcd member |[Pp]romoting (?:the learner |a learner as a voting member: ))([0-9a-f]{6,16})\b/;

/** The member that kubeadm says it has added for this machine, in decimal; undefined where it names none. */
export function memberIn(output: string): string | undefined {
  const [, id] = MEMBER.exec(output) ?? [];
  return id === undefined ? undefined : BigInt(`0x${id}`).toString();
}

/** @throws HostError */
export async function recordAttempt(host: Host, note: AttemptNote): Promise<void> {
  await host.files.mkdir(STATE_DIR, 0o700);
  await host.files.write(ATTEMPT_NOTE, `${JSON.stringify(note)}\n`, { mode: 0o600 });
}

/** Undefined where there is none of this instance and verb. @throws HostError */
export async function readAttempt(
  host: Host,
  { instance, verb }: Pick<AttemptNote, 'instance' | 'verb'>,
): Promise<AttemptNote | undefined> {
  const text = (await host.files.readIfPresent(ATTEMPT_NOTE, 64 * 1024))?.toString('utf8');
  const note = text === undefined ? undefined : parse(text);
  return note?.instance === instance && note.verb === verb ? note : undefined;
}

export async function clearAttempt(host: Host): Promise<void> {
  await host.files.remove(ATTEMPT_NOTE);
}

function parse(text: string): AttemptNote | undefined {
  try {
    const { instance, verb, code, phase, etcdMember, resumed, knownToken, lacking } = JSON.parse(
      text,
    ) as Partial<AttemptNote>;
    if (typeof instance !== 'string' || (verb !== 'init' && verb !== 'join')) return undefined;
    return {
      instance,
      verb,
      code: code !== undefined && Object.hasOwn(codes(), code) ? code : 'Unclassified',
      ...(typeof phase === 'string' ? { phase } : {}),
      ...(typeof etcdMember === 'string' && /^\d+$/.test(etcdMember) ? { etcdMember } : {}),
      resumed: Number(resumed) || 0,
      ...(typeof knownToken === 'string' ? { knownToken } : {}),
      ...(lacking?.what === 'token' || lacking?.what === 'route'
        ? { lacking: { what: lacking.what, seconds: Number(lacking.seconds) || 0 } }
        : {}),
    };
  } catch {
    // Written atomically, so this is another program's doing.
    return undefined;
  }
}

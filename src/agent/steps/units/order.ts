import type { UnitEntry, UnitNeeds } from '../../document/document.ts';

/** Units to start, in groups by what becomes of the step when one does not start. */
export interface StartSpec {
  /** Started, and waited for: what kubeadm requires. A failure fails the step. */
  required: string[];
  /** Started, and waited for; a failure is a finding. */
  wanted: string[];
  /** Started without waiting. */
  others: string[];
  /** Waited for if they are starting. */
  awaited: string[];
}

const KUBEADM = 'kubeadm.service';

/**
 * When the document's units are started: before kubeadm what it requires, wants or comes after, and without
 * waiting what it does not know; after it what is ordered behind it. systemd would have started all of them
 * with the boot, which is over.
 */
export function startOrder(
  units: readonly UnitEntry[],
  { requires, wants, after }: UnitNeeds,
): { before: StartSpec; after: string[] } {
  const enabled = [...new Set(units.filter(isStarted).map(({ name }) => name))];
  const behind = new Set(units.filter(isAfterKubeadm).map(({ name }) => name));
  const later = enabled.filter((name) => behind.has(name));
  const wanted = [...new Set([...wants, ...enabled.filter((name) => after.includes(name) || isMount(name))])];
  const known = [...requires, ...wanted];
  return {
    before: {
      required: requires,
      wanted: wanted.filter((name) => !requires.includes(name) && !behind.has(name)),
      others: enabled.filter((name) => !known.includes(name) && !behind.has(name)),
      // A target is up or not; nobody is starting it.
      awaited: after.filter((name) => !known.includes(name) && !name.endsWith('.target')),
    },
    after: later.filter((name) => !requires.includes(name)),
  };
}

/** A template without an instance cannot be started. */
function isStarted({ name, enabled, masked }: UnitEntry): boolean {
  return enabled === true && masked !== true && !/@\./.test(name);
}

function isMount(name: string): boolean {
  return /\.(?:mount|swap)$/.test(name);
}

function isAfterKubeadm({ content, dropIns }: UnitEntry): boolean {
  const texts = [content, ...dropIns.map((dropIn) => dropIn.content)].flatMap((text) => text?.reveal() ?? []);
  return texts.some((text) =>
    [...text.matchAll(/^[^\S\n]*(?:After|Requires|BindsTo|Requisite)\s*=(.*)$/gm)].some(([, names = '']) =>
      names.split(/\s+/).includes(KUBEADM),
    ),
  );
}

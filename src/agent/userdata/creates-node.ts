import { editDistance } from '../../kit/edit-distance.ts';
import { type Caller, findCallers, nodeProspect } from '../callers/find-callers.ts';
import type { Diagnostic, Document } from '../document/document.ts';
import { printable } from '../text/diagnostics.ts';

/** Letters that may be wrong in a word that is still recognised. */
const SLIPS = 2;

/**
 * What there is to say about whether user data makes a node. A warning: something else than Slipway calls kubeadm, or nobody
 * knows what the programs do. An error: nothing runs at all, or kubeadm is misspelt. Silent where no node is wanted
 * (`slipway: {kubeadm: none}`).
 */
export function checkCreatesNode(document: Document): Diagnostic[] {
  if (document.withoutKubeadm) return [];
  const prospect = nodeProspect(document);
  if (prospect === 'surely') return (findCallers(document)?.callers ?? []).flatMap(notTakenOver);
  const { where, hint, isSlip } = nearMiss(document);
  const place = where ? { where } : {};
  if (prospect === 'never' || isSlip) {
    const message = `The user data does not call kubeadm init or kubeadm join, so it creates no node${hint}`;
    return [{ severity: 'error', code: 'UserDataMakesNoNode', message, ...place }];
  }
  const message = `No known part of the user data calls kubeadm init or kubeadm join${hint}. Slipway runs its programs, then checks once whether a node exists.`;
  return [{ severity: 'warning', code: 'NotKnownToMakeANode', message, ...place }];
}

/** `runcmd` and scripts tell it themselves, when they are read. */
function notTakenOver({ kind, name, where }: Caller): Diagnostic[] {
  if (kind === 'command' && !name.startsWith('bootcmd')) return [];
  const what = kind === 'unit' ? `the unit ${name}` : name;
  const message = `${what} calls kubeadm itself: Slipway waits for the node and explains a failure, but does not retry the call.`;
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return [{ severity: 'warning', code: 'KubeadmNotTakenOver', message: text, ...(where ? { where } : {}) }];
}

interface NearMiss extends Pick<Diagnostic, 'where'> {
  hint: string;
  /** A word is misspelt; the call is certain to fail. */
  isSlip: boolean;
}

/** What was probably meant to call it. */
function nearMiss({ unknownKeys = [], commands }: Document): NearMiss {
  const key = unknownKeys.find(({ name }) => isNear(name, 'runcmd'));
  if (key)
    return { hint: `; was ${printable(key.name)} meant to be runcmd?`, isSlip: true, where: key.where };
  for (const command of commands) {
    if (command.kind !== 'command') continue;
    const { where } = command;
    const found = hintOf(command.shell.reveal());
    if (found !== undefined) return { ...found, ...(where ? { where } : {}) };
  }
  return { hint: '', isSlip: false };
}

function hintOf(shell: string): Omit<NearMiss, 'where'> | undefined {
  for (const [, program = '', verb = ''] of shell.matchAll(/(?<![\w./-])([\w./-]+)(?=[ \t]+([a-z]+))/g)) {
    const name = program.slice(program.lastIndexOf('/') + 1);
    const isKubeadm = name === 'kubeadm';
    if (!isKubeadm && !isNear(name, 'kubeadm')) continue;
    if (verb === 'init' || verb === 'join') {
      if (isKubeadm) continue;
      return { hint: `; was ${printable(name)} meant to be kubeadm?`, isSlip: true };
    }
    const meant = ['join', 'init'].find((word) => isNear(verb, word));
    if (isKubeadm && meant !== undefined)
      return { hint: `; was kubeadm ${verb} meant to be kubeadm ${meant}?`, isSlip: true };
  }
  return /\bkubeadm\b/.test(shell)
    ? { hint: '; a command names kubeadm, but does not call init or join', isSlip: false }
    : undefined;
}

function isNear(word: string, known: string): boolean {
  const bare = word.toLowerCase().replace(/[-_]/g, '');
  return bare.length >= known.length - SLIPS && editDistance(bare.slice(0, 20), known) <= SLIPS;
}

import { editDistance } from '../../kit/edit-distance.ts';
import type { Document, ReportEntry } from '../document/document.ts';
import { mentionsKubeadmBootstrap } from '../kubeadm/config/mentions.ts';
import { printable } from '../text/report.ts';

/** Letters that may be wrong in a word that is still recognised. */
const SLIPS = 2;

/**
 * User data whose commands nowhere call kubeadm makes no node: an error, unless that is what it says (`slipway: {kubeadm:
 * none}`). A call that is left to the shell, in a command, a script or a file, counts as one.
 */
export function checkMakesNode(document: Document): ReportEntry[] {
  const { commands, bootCommands, bootScripts = [], files, units = [], withoutKubeadm } = document;
  if (withoutKubeadm || commands.some(({ kind }) => kind === 'kubeadm')) return [];
  const shells = [...bootCommands, ...bootScripts, ...commands].flatMap((entry) =>
    entry.kind === 'command' ? entry.shell.reveal() : [],
  );
  const texts = files.map(({ content }) => Buffer.from(content.reveal()).toString('utf8'));
  const unitTexts = units.flatMap(({ content, dropIns }) => [
    content,
    ...dropIns.map((dropIn) => dropIn.content),
  ]);
  const inUnits = unitTexts.flatMap((content) => content?.reveal() ?? []);
  if ([...shells, ...texts, ...inUnits].some(mentionsKubeadmBootstrap)) return [];
  const { hint, where } = nearMiss(document);
  const message = `Nothing in the user data calls kubeadm init or kubeadm join, so it makes no node${hint}`;
  return [{ severity: 'error', code: 'UserDataMakesNoNode', message, ...(where ? { where } : {}) }];
}

/** What was probably meant to call it. */
function nearMiss({ unknownKeys = [], commands }: Document): Pick<ReportEntry, 'where'> & { hint: string } {
  const key = unknownKeys.find(({ name }) => isNear(name, 'runcmd'));
  if (key) return { hint: `; was ${printable(key.name)} meant to be runcmd?`, where: key.where };
  for (const command of commands) {
    if (command.kind !== 'command') continue;
    const { where } = command;
    const hint = hintOf(command.shell.reveal());
    if (hint !== undefined) return { hint, ...(where ? { where } : {}) };
  }
  return { hint: '' };
}

function hintOf(shell: string): string | undefined {
  for (const [, program = '', verb = ''] of shell.matchAll(/(?<![\w./-])([\w./-]+)(?=[ \t]+([a-z]+))/g)) {
    const name = program.slice(program.lastIndexOf('/') + 1);
    const isKubeadm = name === 'kubeadm';
    if (!isKubeadm && !isNear(name, 'kubeadm')) continue;
    if (verb === 'init' || verb === 'join') {
      if (isKubeadm) continue;
      return `; was ${printable(name)} meant to be kubeadm?`;
    }
    const meant = ['join', 'init'].find((word) => isNear(verb, word));
    if (isKubeadm && meant !== undefined) return `; was kubeadm ${verb} meant to be kubeadm ${meant}?`;
  }
  return /\bkubeadm\b/.test(shell) ? '; a command names kubeadm, but calls neither of them' : undefined;
}

function isNear(word: string, known: string): boolean {
  const bare = word.toLowerCase().replace(/[-_]/g, '');
  return bare.length >= known.length - SLIPS && editDistance(bare.slice(0, 20), known) <= SLIPS;
}

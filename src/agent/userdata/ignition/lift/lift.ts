import { sensitive } from '../../../../secrets/sensitive.ts';
import type { Command, Document, FileEntry, KubeadmCommand, UnitEntry } from '../../../document/document.ts';
import { mentionsKubeadmBootstrap } from '../../../kubeadm/config/mentions-kubeadm.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import { environmentLines } from './environment.ts';
import { hasEffect, type KubeadmScript, parseKubeadmScript } from './script.ts';
import { type KubeadmUnit, readKubeadmUnit } from './unit.ts';

const UNIT = 'kubeadm.service';
const SCRIPT = '/etc/kubeadm.sh';
const BASH = '/bin/bash';

type Lifted = Pick<Document, 'files' | 'units' | 'commands'> &
  Partial<Pick<Document, 'shell' | 'kubeadmUnit'>>;

/**
 * Takes over what Cluster API's kubeadm provider leaves to systemd with Ignition: the unit `kubeadm.service`,
 * which runs `/etc/kubeadm.sh` once. Its commands and its call of kubeadm become the document's; neither unit
 * nor script is written, so nothing calls kubeadm a second time. A unit that does more stays as it is and is
 * started when everything else is done.
 */
export function liftKubeadmUnit(files: FileEntry[], units: UnitEntry[], diagnostics: Diagnostics): Lifted {
  const own = units.filter(({ name }) => name === UNIT);
  const written = files.filter(({ path }) => path === SCRIPT);
  const [script] = written;
  const isCalled = own.some(({ enabled }) => enabled === true) && own.some(({ content }) => content);
  if (!isCalled || own.some(({ masked }) => masked)) return { files, units, commands: [] };
  const answer =
    written.length === 1 && script ? takeOver(own, script) : { problem: `there is no ${SCRIPT}` };
  if (!('problem' in answer)) {
    return {
      ...answer,
      files: files.filter((file) => file !== script),
      units: units.filter(({ name }) => name !== UNIT),
    };
  }
  const texts = [...own.flatMap(({ content }) => content?.reveal() ?? []), ...written.map(textOf)];
  if (!texts.some(mentionsKubeadmBootstrap)) return { files, units, commands: [] };
  const where = script?.where ?? own[0]?.where;
  const message = `${UNIT} calls kubeadm itself: Slipway starts it once and waits for the node, but does not retry the call, because ${answer.problem}.`;
  diagnostics.warn('KubeadmNotTakenOver', message, where);
  const start: Command = {
    kind: 'command',
    shell: sensitive(`systemctl start ${UNIT}`),
    program: 'systemctl',
    ...(where ? { where } : {}),
  };
  return { files, units, commands: [start] };
}

function textOf({ content }: FileEntry): string {
  return Buffer.from(content.reveal()).toString('utf8');
}

function takeOver(
  own: readonly UnitEntry[],
  script: FileEntry,
): Omit<Lifted, 'files' | 'units'> | { problem: string } {
  const unit = readKubeadmUnit(own);
  if ('problem' in unit) return unit;
  const parts = parseKubeadmScript(textOf(script));
  if (parts === undefined) return { problem: `${SCRIPT} is not the one of Cluster API` };
  return { commands: commandsOf(parts, unit, script), shell: BASH, kubeadmUnit: unit.needs };
}

function commandsOf(
  { before, call, after }: KubeadmScript,
  { environment }: KubeadmUnit,
  { where }: FileEntry,
): (Command | KubeadmCommand)[] {
  const place = where ? { where } : {};
  const settings = environmentLines(environment);
  const command = (lines: string[], program: string): Command => ({
    kind: 'command',
    // The script runs under `set -e`: after a command that fails, no other is run, and no kubeadm.
    shell: sensitive(['set -e', ...lines].join('\n')),
    program,
    ...place,
  });
  const { args, ...rest } = call;
  return [
    ...(settings.length > 0 || hasEffect(before)
      ? [command([...settings, before], 'preKubeadmCommands')]
      : []),
    { kind: 'kubeadm', ...rest, args: sensitive(args), ...place },
    ...(hasEffect(after) ? [command([after], 'postKubeadmCommands')] : []),
  ];
}

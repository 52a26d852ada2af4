import type { Diagnostic, Document, Position } from '../document/document.ts';
import { placeInFile } from '../document/position.ts';
import { checkConfig } from '../kubeadm/config/api/check-config.ts';
import { placedMessage } from '../kubeadm/config/api/problem.ts';
import { readCall } from '../kubeadm/config/read-call.ts';
import { fileOf, kubeadmCommandOf } from './from-document.ts';

/**
 * Checks the kubeadm configuration in the user data before anything changes. A problem is an error only if no
 * command runs before kubeadm: such a command may still correct the file, so Slipway checks again just before
 * kubeadm.
 */
export function checkDocument(document: Document): Diagnostic[] {
  const command = kubeadmCommandOf(document);
  const path = command?.configPath;
  const text = fileOf(document, path);
  if (command === undefined || path === undefined || text === undefined) return [];
  const isFinal = document.bootCommands.length === 0 && document.commands[0] === command;
  const file = document.files.findLast((entry) => entry.path === path);
  const entry = (
    severity: Diagnostic['severity'],
    code: Diagnostic['code'],
    message: string,
    where: Position | undefined,
  ): Diagnostic => ({
    severity: isFinal ? severity : 'warning',
    code,
    message,
    ...(where ? { where } : {}),
  });
  const { documents, problem } = readCall(command, text);
  if (problem)
    return [entry('error', problem.failure.code, problem.failure.cause.replace(/\.$/, ''), file?.where)];
  const lines = text.split('\n');
  return checkConfig(command.verb, documents).flatMap((found) => {
    const hasVariable = VARIABLE.test(lines[found.line - 1] ?? '');
    if (hasVariable && isFilledIn(document, path)) return [];
    const unfilled = hasVariable ? '; nothing before kubeadm sets the variable' : '';
    const message = `${placedMessage(found, path)}${unfilled}`;
    return [entry(found.severity, found.code, message, file && placeInFile(file, found.line, found.column))];
  });
}

/** What a shell or envsubst would fill in. */
const VARIABLE = /\$\{[A-Za-z_]\w*\}/;
/** Programs that make another text of a file. */
const FILLS_IN = /\b(?:envsubst|sed|perl|awk|yq|gomplate)\b/;

/** Does a command before kubeadm make another text of this file? What comes of it is checked on the machine, before kubeadm. */
function isFilledIn({ bootCommands, commands }: Document, path: string): boolean {
  const upTo = commands.findIndex(({ kind }) => kind === 'kubeadm');
  return [...bootCommands, ...commands.slice(0, upTo)].some((command) => {
    if (command.kind !== 'command') return false;
    const text = command.shell.reveal();
    return text.includes(path) && FILLS_IN.test(text);
  });
}

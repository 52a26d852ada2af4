import type { Document, ReportEntry } from '../document/document.ts';
import { checkConfig } from '../kubeadm/config/api/check.ts';
import { placedMessage } from '../kubeadm/config/api/problem.ts';
import { readCall } from '../kubeadm/config/read-call.ts';
import { fileOf, kubeadmCommandOf } from './from-document.ts';

/**
 * Checks the kubeadm configuration in the user data before anything changes. A problem is an error only if no
 * command runs before kubeadm: such a command may still correct the file, so Slipway checks again just before
 * kubeadm.
 */
export function checkDocument(document: Document): ReportEntry[] {
  const command = kubeadmCommandOf(document);
  const path = command?.configPath;
  const text = fileOf(document, path);
  if (command === undefined || path === undefined || text === undefined) return [];
  const isFinal = document.bootCommands.length === 0 && document.commands[0] === command;
  const where = document.files.findLast((file) => file.path === path)?.where;
  const entry = (
    severity: ReportEntry['severity'],
    code: ReportEntry['code'],
    message: string,
  ): ReportEntry => ({
    severity: isFinal ? severity : 'warning',
    code,
    message,
    ...(where ? { where } : {}),
  });
  const { documents, problem } = readCall(command, text);
  if (problem) return [entry('error', problem.failure.code, problem.failure.cause.replace(/\.$/, ''))];
  return checkConfig(command.verb, documents).map(({ severity, code, ...rest }) =>
    entry(severity, code, placedMessage({ severity, code, ...rest }, path)),
  );
}

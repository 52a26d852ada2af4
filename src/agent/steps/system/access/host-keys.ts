import type { Diagnostic } from '../../../document/document.ts';
import type { HostKeySettings } from '../../../document/system-settings.ts';
import type { Host } from '../../../host/host.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { machineToWarnOf, missingProgram, type PreviewContext } from '../../kind/preview.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';
import { addLines } from './sshd-config.ts';

const DIRECTORY = '/etc/ssh';
const fileOf = (type: string): string => `${DIRECTORY}/ssh_host_${type}_key`;

/** Puts host keys in place that are given, and makes those that are missing (cloud-init's `cc_ssh`). */
export const setUpHostKeys: Work<HostKeySettings> = ({ given, made, replaces }) => ({
  onFailure: 'continue',
  // Nor may one that knows nothing of the first; see below.
  repeatable: !replaces,
  run: ({ host, interrupted, signal }) =>
    attempt(async () => {
      // Another try must not take away what the first one made.
      if (replaces && !interrupted) await removeOld(host);
      for (const key of given) await place(host, key, signal);
      const certificates = given.filter(({ certificate }) => certificate !== undefined);
      await addLines(
        host,
        certificates.map(({ type }) => `HostCertificate ${fileOf(type)}-cert.pub`),
      );
      if (given.length === 0 && !(await host.processes.which('ssh-keygen')))
        return 'there is no SSH on this machine';
      const fresh: string[] = [];
      for (const type of made) if (await make(host, type, signal)) fresh.push(type);
      return [`${given.length} placed`, ...(fresh.length > 0 ? [`made ${fresh.join(', ')}`] : [])].join(', ');
    }),
});

async function removeOld(host: Host): Promise<void> {
  for (const name of await host.files.list(DIRECTORY))
    if (/^ssh_host_.*key/.test(name)) await host.files.remove(`${DIRECTORY}/${name}`);
}

async function place(
  host: Host,
  { type, privateKey, publicKey, certificate }: HostKeySettings['given'][number],
  signal: AbortSignal,
): Promise<void> {
  const file = fileOf(type);
  if (privateKey) await host.files.write(file, privateKey.reveal(), { mode: 0o600 });
  if (publicKey) await host.files.write(`${file}.pub`, publicKey, { mode: 0o644 });
  if (certificate) await host.files.write(`${file}-cert.pub`, certificate, { mode: 0o644 });
  if (!privateKey || publicKey) return;
  const { stdout } = await runTool(host, ['ssh-keygen', '-y', '-f', file], {
    doing: `read the ${type} host key that the user data gives`,
    code: 'SystemSettingFailed',
    signal,
  });
  await host.files.write(`${file}.pub`, `${stdout.trimEnd()} root@localhost\n`, { mode: 0o644 });
}

/** @returns false where there is one */
async function make(host: Host, type: string, signal: AbortSignal): Promise<boolean> {
  const file = fileOf(type);
  if (await host.files.stat(file)) return false;
  await host.files.mkdir(DIRECTORY, 0o755);
  await runTool(host, ['ssh-keygen', '-q', '-t', type, '-N', '', '-f', file], {
    doing: `make a host key of the type ${type}`,
    code: 'SystemSettingFailed',
    signal,
  });
  return true;
}

/** Host keys that nothing on this machine can make. */
export async function previewHostKeys(
  specs: readonly HostKeySettings[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  const host = machineToWarnOf(context);
  const needsProgram = specs.some(
    ({ made, given }) =>
      made.length > 0 || given.some((key) => key.privateKey && key.publicKey === undefined),
  );
  if (host === undefined || !needsProgram) return [];
  const keys = ['ssh_keys', 'ssh_genkeytypes', 'ssh_deletekeys', 'hostKeys'];
  return missingProgram(host, context.document, keys, 'ssh-keygen', 'no host key is made');
}

import { rememberSecrets } from '../../../secrets/remembered.ts';
import { isSealedFile } from '../../../tpm/sealing/is-sealed-file.ts';
import type { Diagnostic, KubeadmCommand } from '../../document/document.ts';
import { type Host, HostError } from '../../host/host.ts';
import { certificateFiles } from '../../kubeadm/config/kubeadm-files.ts';
import { secretsOfContent } from '../../redaction/document-secrets.ts';

const MAX_BYTES = 1024 * 1024;

/**
 * Opens, where they lie, kubeadm's configuration and the certificates of a control plane that were sealed to this machine's TPM:
 * cloud-init and Ignition write files as they are. Each keeps its owner and mode, and nobody else can read it meanwhile.
 *
 * @returns why one does not open
 */
export async function openSealedKubeadmFiles(
  host: Host,
  { configPath }: KubeadmCommand,
): Promise<Diagnostic[]> {
  const paths = [...(configPath === undefined ? [] : [configPath]), ...certificateFiles()];
  const sealed: { path: string; content: Buffer }[] = [];
  for (const path of paths) {
    const content = await contentOf(host, path);
    if (content && isSealedFile(content)) sealed.push({ path, content });
  }
  if (sealed.length === 0) return [];
  const { openSealedFiles } = await import('../../identity/tpm/open-sealed-files.ts');
  const { TpmProblem } = await import('../../identity/tpm/tpm-problem.ts');
  try {
    const opened = await openSealedFiles(host, sealed);
    rememberSecrets(opened.flatMap(secretsOfContent));
    const entries = await Promise.all(
      sealed.map(async ({ path }, at) => {
        // Root's links are followed; a link itself has all permissions.
        const stat = await host.ownFiles.stat(await host.files.real(path));
        const { mode = 0o600, uid = 0, gid = 0 } = stat ?? {};
        const options = { mode: mode & 0o7777, owner: `${uid}:${gid}` };
        return { path, content: opened[at] ?? Buffer.alloc(0), options };
      }),
    );
    await host.files.writeAll(entries);
    return [];
  } catch (error) {
    if (!(error instanceof TpmProblem)) throw error;
    return [{ severity: 'error', code: error.code, message: `${error.message}.` }];
  }
}

/** What cannot be read, kubeadm will complain of itself. */
async function contentOf(host: Host, path: string): Promise<Buffer | undefined> {
  try {
    return await host.files.readIfPresent(path, MAX_BYTES);
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

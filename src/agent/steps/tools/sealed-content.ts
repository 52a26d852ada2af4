import { rememberSecrets } from '../../../secrets/remembered.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import { isSealedFile } from '../../../tpm/sealing/is-sealed-file.ts';
import type { FileEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { secretsOfContent } from '../../redaction/document-secrets.ts';
import { StepError } from '../../tools/step-error.ts';

/**
 * The entries with what was sealed to this machine's TPM opened, in memory only.
 *
 * @throws Problem that says which file does not open, and why
 */
export async function withOpened(host: Host, entries: readonly FileEntry[]): Promise<FileEntry[]> {
  const sealed = entries.filter(({ content }) => isSealedFile(content.reveal()));
  if (sealed.length === 0) return [...entries];
  const { openSealedFiles } = await import('../../identity/tpm/open-sealed-files.ts');
  const { TpmProblem } = await import('../../identity/tpm/tpm-problem.ts');
  try {
    const wanted = sealed.map(({ path, content }) => ({ path, content: content.reveal() }));
    const contents = await openSealedFiles(host, wanted);
    rememberSecrets(contents.flatMap(secretsOfContent));
    const opened = new Map(sealed.map((entry, at) => [entry, contents[at]] as const));
    return entries.map((entry) => {
      const content = opened.get(entry);
      return content ? { ...entry, content: sensitive(content) } : entry;
    });
  } catch (error) {
    if (error instanceof TpmProblem) throw new StepError(error.code, error.message);
    throw error;
  }
}

import type { Document } from '../../document/document.ts';
import { noteWiped } from '../../engine/wiped-note.ts';
import { type Host, HostError } from '../../host/host.ts';
import { documentSecrets, knownSecrets } from '../../redaction/document-secrets.ts';
import { overwriteSecrets } from '../../redaction/overwrite-secrets.ts';
import { plan } from '../../steps/plan.ts';
import { includeAny, wipeCopies } from './wipe-copies.ts';

interface Wiped {
  document: Document;
  /** As they came. */
  userData: Buffer;
  read(userData: Buffer): Promise<Document>;
}

/**
 * Takes the secrets of user data that have done their work from where the machine keeps them. What a command of every boot
 * needs stays. Call it only when the success is in the journal: whatever happens before, the next start needs them.
 *
 * @returns the user data without them
 * @throws HostError where something could not be changed, or would no longer be what it was
 */
export async function wipe(host: Host, { document, userData, read }: Wiped): Promise<Buffer> {
  const secrets = await secretsOf(host, document);
  const black = overwriteSecrets(userData, secrets);
  if (black !== userData) {
    if (shapeOf(await read(black)) !== shapeOf(document))
      throw new HostError('without their secrets the user data would ask for something else', 'EINVAL');
  }
  if (black !== userData || (await includeAny(host, secrets))) await noteWiped(host, black);
  await wipeCopies(host, userData, secrets);
  return black;
}

async function secretsOf(host: Host, document: Document): Promise<string[]> {
  const { bootCommands, bootScripts = [] } = document;
  const needed = new Set(documentSecrets({ bootCommands, bootScripts }));
  const others = await knownSecrets(host, { ...document, bootCommands: [], bootScripts: [] });
  return others.filter((secret) => !needed.has(secret));
}

/** What must not change: which steps there are, and how many errors. */
function shapeOf(document: Document): string {
  const errors = document.report.filter(({ severity }) => severity === 'error').length;
  return JSON.stringify([plan(document).map(({ id }) => id), errors]);
}

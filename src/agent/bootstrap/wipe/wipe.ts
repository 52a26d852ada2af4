import type { Document } from '../../document/document.ts';
import { INCLUDES_DIR } from '../../document/paths.ts';
import { noteWiped } from '../../engine/wiped-note.ts';
import { type Host, HostError } from '../../host/host.ts';
import { documentSecrets, knownSecrets } from '../../redaction/document-secrets.ts';
import { overwriteSecrets } from '../../redaction/overwrite-secrets.ts';
import { plan } from '../../steps/plan.ts';

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

/** Seeds on the machine's own disk. A volume is its maker's, and the hypervisor's. */
const SEEDS = [
  '/var/lib/cloud/seed/nocloud/user-data',
  '/var/lib/cloud/seed/nocloud-net/user-data',
  '/var/lib/cloud/seed/config_drive/openstack/latest/user_data',
  '/var/lib/cloud/seed/azure/ovf-env.xml',
];
/** What cloud-init keeps: of each instance it has seen, and of this boot. */
const INSTANCES = '/var/lib/cloud/instances';
const OF_THIS_BOOT = '/run/cloud-init';
/** cloud-init's data source as a pickle of Python: names of classes stand beside the user data. */
const PICKLE = 'obj.pkl';
const LIKE_A_NAME = /^[A-Za-z_.]+$/;
const MOST_BYTES = 64 * 1024 * 1024;

/** Does any text that user data included, and that Slipway keeps, hold one of the secrets? */
async function includeAny({ files }: Host, secrets: readonly string[]): Promise<boolean> {
  for (const name of await files.list(INCLUDES_DIR)) {
    const bytes = await files.readIfPresent(`${INCLUDES_DIR}/${name}`, MOST_BYTES);
    if (bytes && overwriteSecrets(bytes, secrets) !== bytes) return true;
  }
  return false;
}

/**
 * Fills the secrets in, in each copy of the user data that is ours to change: seeds on the machine's disk, and what cloud-init
 * keeps. Instance ids, semaphores and all else stay, so cloud-init takes the machine for the one it was. Each file is the
 * old one or the new one, whatever happens to the machine; a second time does nothing.
 *
 * @throws HostError for the first file that could not be changed, when the others are done
 */
async function wipeCopies(host: Host, userData: Buffer, secrets: readonly string[]): Promise<void> {
  const failed: HostError[] = [];
  const black = overwriteSecrets(userData, secrets);
  for (const path of [...(await copies(host)), ...SEEDS]) {
    try {
      await wipeFile(host, path, (bytes) =>
        path.endsWith(`/${PICKLE}`)
          ? inPickle(bytes, { userData, black, secrets })
          : overwriteSecrets(bytes, secrets),
      );
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      failed.push(error);
    }
  }
  if (failed[0]) throw failed[0];
}

async function wipeFile(host: Host, path: string, wiped: (bytes: Buffer) => Buffer): Promise<void> {
  const { files } = host;
  const stat = await files.stat(path);
  if (stat?.kind !== 'file' || stat.size > MOST_BYTES) return;
  const bytes = await files.readIfPresent(path, MOST_BYTES);
  const after = bytes && wiped(bytes);
  if (after === undefined || after === bytes) return;
  await files.write(path, after, { mode: stat.mode, owner: `${stat.uid}:${stat.gid}` });
}

async function copies({ files }: Host): Promise<string[]> {
  const instances = (await files.list(INSTANCES)).map((name) => `${INSTANCES}/${name}`);
  const folders = [...instances.flatMap((path) => [path, `${path}/scripts`]), OF_THIS_BOOT, INCLUDES_DIR];
  const inside = await Promise.all(
    folders.map(async (path) => (await files.list(path)).map((name) => `${path}/${name}`)),
  );
  return inside.flat();
}

interface Told {
  userData: Buffer;
  black: Buffer;
  secrets: readonly string[];
}

/** Lengths stand before texts in it. The user data as they came may be compressed. */
function inPickle(bytes: Buffer, { userData, black, secrets }: Told): Buffer {
  const rest = overwriteSecrets(
    bytes,
    secrets.filter((secret) => !LIKE_A_NAME.test(secret)),
  );
  if (black.length !== userData.length || userData.length === 0) return rest;
  const whole = Buffer.from(rest === bytes ? bytes : rest);
  let found = false;
  for (let at = whole.indexOf(userData); at >= 0; at = whole.indexOf(userData, at + black.length)) {
    black.copy(whole, at);
    found = true;
  }
  return found ? whole : rest;
}

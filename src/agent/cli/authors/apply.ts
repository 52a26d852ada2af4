import { UsageError } from '../../../kit/errors.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import { redact } from '../../../secrets/redact.ts';
import { rememberSecrets } from '../../../secrets/remembered.ts';
import { apply, type SplitDocument, splitForImage } from '../../apply/apply.ts';
import { createHost } from '../../create-host.ts';
import type { Document } from '../../document/document.ts';
import { type Host, HostError } from '../../host/host.ts';
import { checkDocument } from '../../preflight/check-document.ts';
import { documentSecrets } from '../../redaction/document-secrets.ts';
import { plan } from '../../steps/plan.ts';
import { preview } from '../../steps/preview.ts';
import { unaskedPrograms } from '../../steps/unasked-programs.ts';
import { REFERENCE_ONLY } from '../../userdata/user-data-reference.ts';
import { requireRoot, rootOption, withUsageErrors } from '../options/options.ts';
import { printDiagnostics, printFailure } from '../text/print-failure.ts';
import { readInput } from './input.ts';
import { readUserDataFile } from './read-user-data-file.ts';

interface ApplyFlags {
  root: string;
  metaData?: string;
  partly?: boolean;
}

/**
 * `slipway apply --root DIR FILE`: files, directories, links, units, users and groups of user data below a directory, for
 * images. What needs a running machine is refused by its name before anything is changed, or left out with `--partly`.
 *
 * @returns 0 done, 1 a step failed, 2 nothing was changed: bad user data or arguments, or a machine is needed
 */
export function applyCommand(file: string, flags: ApplyFlags): Promise<number> {
  return withUsageErrors(async () => {
    const root = rootOption(flags.root);
    if (root === '/') throw new UsageError('--root / is this machine; slipway bootstrap does it there');
    requireRoot('write an image', `slipway apply --root ${flags.root} ${file}`);
    const host = createHost({ root, programs: 'change' });
    if ((await host.ownFiles.stat(root))?.kind !== 'directory')
      throw new UsageError(`--root ${flags.root}: there is no such directory`);
    const asked = createHost({ root });
    const asMachine = createHost();
    const document = await readUserDataFile(
      asMachine,
      await readInput(asMachine, file),
      flags.metaData,
      asked,
    );
    rememberSecrets(documentSecrets(document));
    printDiagnostics(document.report);
    if (document.report.some(({ severity }) => severity === 'error')) return 2;
    if (document.sealed ?? document.chunked) return refuseSealed();
    // kubeadm is the machine's, but nothing mends the file that it will read there.
    printDiagnostics(checkDocument(document).map((entry) => ({ ...entry, severity: 'warning' })));
    const refusal = await refusalOf(host, document);
    const parts = splitForImage(withoutName(document), refusal === undefined);
    if (parts.later.length + parts.unsafe.length > 0 && flags.partly !== true) return refuse(parts, refusal);
    const foreseen = await preview(plan(document), { document, host: asked, moment: 'start' });
    const inVain = [...foreseen, ...(await unaskedPrograms(asked))];
    printDiagnostics(inVain);
    if (inVain.some(({ severity }) => severity === 'error')) return 2;
    return applied(host, document, parts);
  });
}

/** A name that only the metadata gives is for the machine to learn. */
function withoutName(document: Document): Document {
  const { hostname: _, ...rest } = document;
  return document.saidName?.name === undefined ? rest : document;
}

/** As `plan` does: nothing of what they stand for would be in the image. */
function refuseSealed(): number {
  say(`error: ${REFERENCE_ONLY} [UserDataSealed]`);
  say('nothing was changed; give the user data that they stand for');
  return 2;
}

/** Setting up namespaces takes a moment, so it is tried only where a program will be called. */
async function refusalOf({ processes }: Host, document: Document): Promise<string | undefined> {
  return splitForImage(document, false).unsafe.length === 0 ? undefined : processes.sandbox?.refusal();
}

function refuse({ later, unsafe }: SplitDocument, refusal: string | undefined): number {
  for (const { title } of later) say(`error: ${title}: this needs a running machine`);
  for (const { title } of unsafe)
    say(`error: ${title}: this needs programs of the image, and none is started: ${refusal}`);
  say('nothing was changed; with --partly the rest is done, and this is left to the machine');
  return 2;
}

async function applied(
  host: Host,
  document: Document,
  { now, later, unsafe }: SplitDocument,
): Promise<number> {
  try {
    const failure = await apply(host, document, now, {
      done: ({ title }, message) => tell(`done: ${title}${message === '' ? '' : ` (${message})`}`),
      finding: ({ code, message }) => say(`warning: ${message} [${code}]`),
    });
    if (failure) {
      printFailure(failure);
      return 1;
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    say(`error: ${error.message}`);
    return 1;
  }
  for (const { title } of [...unsafe, ...later]) tell(`left to the machine: ${title}`);
  if (now.length === 0) tell('nothing to do below a directory');
  return 0;
}

function say(line: string): void {
  process.stderr.write(`slipway: ${visible(redact(line))}\n`);
}

function tell(line: string): void {
  process.stdout.write(`${visible(redact(line))}\n`);
}

import type { Failure, Finding } from '../../protocol/journal.ts';
import type { Document, FileEntry } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { openShared } from '../steps/kind/shared.ts';
import type { PlannedStep } from '../steps/kind/step-kind.ts';
import { plan } from '../steps/plan.ts';
import { isSecretReference } from '../stores/reference/reference.ts';

/** Kinds of steps that change nothing but a tree of files; accounts are changed by the tree's own programs. */
const AT_REST: ReadonlySet<string> = new Set(['files', 'tree', 'groups', 'users', 'units']);
const BY_PROGRAMS: ReadonlySet<string> = new Set(['groups', 'users']);
/** An enabled unit starts when the image boots. */
const COMES_BY_ITSELF: ReadonlySet<string> = new Set(['unit-starts', 'left-call', 'perhaps-node', 'ready']);

/** No secret goes into an image: the machine gets it. */
const HOLDS_SECRETS: ReadonlySet<string> = new Set(['files', 'tree']);

/** What of a document an image can take, and what waits for the machine. */
export interface SplitDocument {
  now: PlannedStep[];
  later: PlannedStep[];
  /** What the image's own programs would do, where they cannot run apart from the host. */
  unsafe: PlannedStep[];
}

/** @param mayRun the image's own programs, which accounts need, and units that the image has enabled */
export function splitForImage(document: Document, mayRun = true): SplitDocument {
  const isSecret = ({ from }: FileEntry) => isSecretReference(from?.url.reveal() ?? '');
  const secrets = document.files.filter(isSecret);
  const atRest = { ...document, files: document.files.filter((file) => !isSecret(file)) };
  const onMachine = { ...document, files: secrets, directories: [], links: [] };
  const steps = plan(onMachine).filter(({ kind }) => !COMES_BY_ITSELF.has(kind));
  const callsProgram = ({ kind }: PlannedStep) =>
    BY_PROGRAMS.has(kind) || (kind === 'units' && document.units?.some(({ enabled }) => enabled === false));
  const files = plan(atRest).filter(({ kind }) => AT_REST.has(kind));
  return {
    now: files.filter((step) => mayRun || !callsProgram(step)),
    later: steps.filter(({ kind }) => !AT_REST.has(kind) || HOLDS_SECRETS.has(kind)),
    unsafe: files.filter((step) => !mayRun && callsProgram(step)),
  };
}

interface Watcher {
  done(step: PlannedStep, message: string): void;
  finding(finding: Pick<Finding, 'code' | 'message'>): void;
}

const LONGEST_MS = 600_000;

/**
 * Does the steps below the host's root, in their order, each once. It keeps no journal: what it was stopped in is done again.
 *
 * @returns the failure of the first step that failed; nothing behind it was done
 * @throws HostError
 */
export async function apply(
  host: Host,
  document: Document,
  steps: readonly PlannedStep[],
  watcher: Watcher,
): Promise<Failure | undefined> {
  const shared = openShared(host, document, 'image', () => undefined);
  for (const planned of steps) {
    const step = await planned.load(shared);
    const result = await step.run({
      host,
      attempt: 1,
      interrupted: true,
      signal: AbortSignal.timeout(LONGEST_MS),
      remainingMs: () => LONGEST_MS,
      progress: async () => undefined,
      finding: async (finding) => watcher.finding(finding),
      output: () => undefined,
    });
    if (!result.done) return result.failure;
    watcher.done(planned, result.message ?? '');
  }
  return undefined;
}

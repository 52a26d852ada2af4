import type { Diagnostic, Document, Position } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';

/** What a preview knows of the document and the machine. */
export type PreviewContext = { document: Document } & (
  | {
      /** The user data alone, for any machine. */
      moment: 'check';
      host?: undefined;
    }
  | {
      /**
       * `plan`: this machine, before anything is changed. `start`: the same, but only what may stop the bootstrap. `again`: these
       * user data may have changed the machine already, so only what holds all the same.
       */
      moment: 'plan' | 'start' | 'again';
      host: Host;
    }
);

/** The machine where it is as the steps will find it: commands of the boot run before them, and may change anything. */
export function unchangedMachine({ document, host, moment }: PreviewContext): Host | undefined {
  return moment === 'again' || document.bootCommands.length > 0 ? undefined : host;
}

/** The same for a preview that only warns. */
export function machineToWarnOf(context: PreviewContext): Host | undefined {
  return context.moment === 'plan' ? unchangedMachine(context) : undefined;
}

/** A warning at the first of these top-level keys that the user data has. */
export function warningAt(
  { keys = [] }: Pick<Document, 'keys'>,
  names: readonly string[],
  code: Diagnostic['code'],
  message: string,
): Diagnostic {
  return entryAt('warning', keys.find(({ name }) => names.includes(name))?.where, code, message);
}

export function entryAt(
  severity: Diagnostic['severity'],
  where: Position | undefined,
  code: Diagnostic['code'],
  message: string,
): Diagnostic {
  return { severity, code, message, ...(where ? { where } : {}) };
}

/** A warning where a program is missing. */
export async function missingProgram(
  host: Pick<Host, 'processes'>,
  document: Pick<Document, 'keys'>,
  names: readonly string[],
  program: string,
  consequence: string,
): Promise<Diagnostic[]> {
  if ((await host.processes.which(program)) !== undefined) return [];
  const message = `The program ${program} is not on this machine, so ${consequence}`;
  return [warningAt(document, names, 'ToolMissing', message)];
}

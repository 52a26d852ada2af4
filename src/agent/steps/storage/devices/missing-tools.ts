import type { Diagnostic, Position } from '../../../document/document.ts';
import { printable } from '../../../text/diagnostics.ts';
import { entryAt, type PreviewContext, unchangedMachine } from '../../kind/preview.ts';

interface Need {
  program: string;
  what: string;
  where?: Position | undefined;
}

/** Programs without which a disk cannot be made, and nothing behind it is done. Disks are the machine's, which an image is not. */
export async function missingTools(needs: readonly Need[], context: PreviewContext): Promise<Diagnostic[]> {
  const host = unchangedMachine(context);
  if (host?.root !== '/') return [];
  const found: Diagnostic[] = [];
  for (const { program, what, where } of needs) {
    if ((await host.processes.which(program)) !== undefined) continue;
    const message = `Cannot ${printable(what)}: the program ${program} is not on this machine`;
    found.push(entryAt('error', where, 'ToolMissing', message));
  }
  return found;
}

import type { Host } from '../../host/host.ts';
import { windowsProgram } from '../../host/windows-program.ts';

const LONGEST_MS = 5_000;
/** `    Name    REG_SZ    value`, as reg.exe prints it. */
const VALUE = /^ {4}(\S.*?) {4}REG_([A-Z_]+) {4}(.*)$/;

/** The values of a key of the registry, numbers in decimal; none where there is no such key. */
export async function readKey(host: Host, key: string): Promise<ReadonlyMap<string, string>> {
  const program = windowsProgram(host, 'reg.exe');
  const { stdout } = await host.processes.run({ argv: [program, 'query', key], timeoutMs: LONGEST_MS });
  const found = new Map<string, string>();
  for (const line of stdout.split(/\r?\n/)) {
    const [, name, type, text = ''] = VALUE.exec(line) ?? [];
    if (name !== undefined) found.set(name, type === 'DWORD' ? String(Number(text)) : text);
  }
  return found;
}

import { fileURLToPath } from 'node:url';

/** The path that a `file:` address names; undefined where it names none (an escaped slash or NUL in it). */
export function pathOfFile(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  try {
    const path = fileURLToPath(`file://${new URL(address).pathname}`);
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}

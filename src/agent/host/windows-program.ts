import type { Host } from './host.ts';

/** A program of Windows itself by its whole path: by its name alone, one in the working folder would come first. */
export function windowsProgram(host: Pick<Host, 'env'>, name: string, folder = 'System32'): string {
  return `${host.env('SystemRoot') ?? 'C:\\Windows'}\\${folder}\\${name}`;
}

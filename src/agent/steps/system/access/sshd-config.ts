import type { WriteOptions } from '../../../host/files.ts';
import type { Host } from '../../../host/host.ts';

const MAIN = '/etc/ssh/sshd_config';
const DROP_INS = `${MAIN}.d`;
/** cloud-init's file, so that a machine never has two. */
const OWN = `${DROP_INS}/50-cloud-init.conf`;

/** The file that settings of sshd go to: a drop-in where the main file reads them. */
async function fileOf(host: Host): Promise<{ path: string; text: string | undefined }> {
  const main = (await host.files.readIfPresent(MAIN))?.toString('utf8');
  const isRead =
    main === undefined
      ? (await host.files.stat(DROP_INS)) !== undefined
      : main.split('\n').some((line) => line.startsWith(`Include ${DROP_INS}/*.conf`));
  if (!isRead) return { path: MAIN, text: main };
  return { path: OWN, text: (await host.files.readIfPresent(OWN))?.toString('utf8') };
}

/** A drop-in of our own is for root; what is there keeps its mode. */
const options = (path: string, text: string | undefined): WriteOptions =>
  text === undefined && path === OWN ? { mode: 0o600 } : {};

/** Sets an option wherever it stands, else at the end. @returns whether anything changed */
export async function setOption(host: Host, option: string, value: string): Promise<boolean> {
  const { path, text } = await fileOf(host);
  const wanted = withOption(text ?? '', option, value);
  if (wanted === text) return false;
  await host.files.write(path, wanted, options(path, text));
  return true;
}

/** Adds lines that are not there yet. */
export async function addLines(host: Host, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const { path, text = '' } = await fileOf(host);
  const missing = lines.filter((line) => !text.split('\n').includes(line));
  if (missing.length === 0) return;
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  await host.files.write(path, `${text}${gap}${missing.join('\n')}\n`, options(path, text || undefined));
}

/** The text of sshd_config with an option set; unchanged if it is. Options are the same in any case. */
function withOption(text: string, option: string, value: string): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  let isSet = false;
  const kept = lines.map((line) => {
    const [, key = '', present = ''] = /^\s*([A-Za-z]+)(?:\s+|\s*=\s*)(.*?)\s*$/.exec(line) ?? [];
    if (key.toLowerCase() !== option.toLowerCase()) return line;
    isSet = true;
    return present === value ? line : `${option} ${value}`;
  });
  if (!isSet) kept.push(`${option} ${value}`);
  return `${kept.join('\n')}\n`;
}

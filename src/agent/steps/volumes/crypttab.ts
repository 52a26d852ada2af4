export const CRYPTTAB = '/etc/crypttab';

interface CrypttabLine {
  name: string;
  uuid: string;
  /** A path, or `none`. */
  keyFile: string;
  needsNetwork: boolean;
}

/** The text of crypttab with a line for a volume, in the place of the one that has its name. */
export function withCrypttabLine(text: string, { name, uuid, keyFile, needsNetwork }: CrypttabLine): string {
  // Not `x-initrd.attach`, which Ignition adds: nothing here is needed before the root is there.
  const line = `${name} UUID=${uuid} ${keyFile} luks${needsNetwork ? ',_netdev' : ''}`;
  const lines = text.split('\n').filter((one) => one.trim().split(/\s+/, 1)[0] !== name);
  const rest = lines.join('\n');
  return `${rest === '' || rest.endsWith('\n') ? rest : `${rest}\n`}${line}\n`;
}

/** The UUID in the line of the volume with this name; `none` for a line that names its device in another way. */
export function uuidInCrypttab(text: string, name: string): string | undefined {
  const line = text.split('\n').find((one) => one.trim().split(/\s+/, 1)[0] === name);
  if (line === undefined) return undefined;
  return /^\S+\s+UUID=(\S+)/.exec(line.trim())?.[1] ?? 'none';
}

import type { Document, KubeadmCommand } from '../document/document.ts';

/** The call of kubeadm in the user data. */
export function kubeadmCommandOf({ commands }: Document): KubeadmCommand | undefined {
  return commands.find((command) => command.kind === 'kubeadm');
}

/** A file's text in the user data; undefined if it has none, is to be fetched, or only appends to the machine's file. */
export function fileOf({ files }: Document, path: string | undefined): string | undefined {
  const parts = files.filter((file) => file.path === path);
  const start = parts.findLastIndex(({ append }) => !append);
  if (start < 0 || parts.slice(start).some(({ from }) => from !== undefined)) return undefined;
  return Buffer.concat(parts.slice(start).map(({ content }) => content.reveal())).toString('utf8');
}

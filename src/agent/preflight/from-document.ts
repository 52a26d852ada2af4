import type { Document, KubeadmCommand } from '../document/document.ts';

/** The call of kubeadm that the user data asks for. */
export function kubeadmCommandOf({ commands }: Document): KubeadmCommand | undefined {
  return commands.find((command) => command.kind === 'kubeadm');
}

/** Text of a file as the user data writes it; undefined when it does not, or only adds to what the machine has. */
export function fileOf({ files }: Document, path: string | undefined): string | undefined {
  const parts = files.filter((file) => file.path === path);
  const start = parts.findLastIndex(({ append }) => !append);
  if (start < 0) return undefined;
  return Buffer.concat(parts.slice(start).map(({ content }) => content.reveal())).toString('utf8');
}

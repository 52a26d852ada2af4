/** How kubeadm is told where patches are: in its configuration since v1beta3, before that by flags. */
import { NODE_KINDS, readDocuments } from './yaml/config-documents.ts';
import { setValue, withDocument } from './yaml/edit-document.ts';

/** `--experimental-patches` up to 1.21, `--patches` from 1.22 on (kubernetes/kubernetes #103063). */
export function patchesFlag(directory: string, minor: number | undefined): string {
  return `--${minor !== undefined && minor < 22 ? 'experimental-patches' : 'patches'}=${directory}`;
}

/**
 * The configuration, as kubeadm will read it, with the directory in it, or a flag where its version has no
 * place for it.
 *
 * @param version Of kubeadm's API, e.g. `v1beta3`.
 * @throws KubeadmError when the text cannot be read.
 */
export function withPatches(
  text: string,
  verb: 'init' | 'join',
  directory: string,
  { version, minor }: { version: string; minor: number | undefined },
): { text: string; flags: string[] } {
  if (/^v1(?:alpha\d+|beta[12])$/.test(version)) return { text, flags: [patchesFlag(directory, minor)] };
  const kind = NODE_KINDS[verb];
  const own = readDocuments(text, 'file').some((document) => document.own && document.kind === kind);
  if (!own) {
    const added = { apiVersion: `kubeadm.k8s.io/${version}`, kind, patches: { directory } };
    return { text: withDocument(text, added), flags: [] };
  }
  const put = setValue(text, kind, ['patches', 'directory'], directory, (present) => present === undefined);
  // Where something else stands in its place, kubeadm itself says whether it takes the flag beside the
  // file.
  return { text: put, flags: put === text ? [patchesFlag(directory, minor)] : [] };
}

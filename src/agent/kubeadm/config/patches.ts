/** How kubeadm is told where patches are: in its configuration since v1beta3, before that by flags. */
import { isMap, isScalar, type YAMLMap } from 'yaml';
import { flagValue, parseFlags } from './flags.ts';
import { readDocuments } from './yaml/config-documents.ts';
import { putScalar } from './yaml/edit-yaml.ts';
import { KubeadmError } from './yaml/failure.ts';

const KINDS = { init: 'InitConfiguration', join: 'JoinConfiguration' } as const;

/** The directory that a call names itself; undefined when it names none or cannot be read. */
export function patchesDirectory(
  verb: 'init' | 'join',
  args: readonly string[],
  text: string | undefined,
): string | undefined {
  const flags = parseFlags(args);
  const flag = flagValue(flags, 'patches') ?? flagValue(flags, 'experimental-patches');
  if (flag !== undefined || text === undefined) return flag;
  try {
    const document = readDocuments(text, 'file').find(({ own, kind }) => own && kind === KINDS[verb]);
    const patches = document?.map.get('patches');
    const directory = isMap(patches) ? (patches as YAMLMap).get('directory', true) : undefined;
    return isScalar(directory) && typeof directory.value === 'string' && directory.value !== ''
      ? directory.value
      : undefined;
  } catch (error) {
    if (error instanceof KubeadmError) return undefined;
    throw error;
  }
}

/** `--experimental-patches` up to 1.21, `--patches` from 1.22 on (kubernetes/kubernetes #103063). */
export function patchesFlag(directory: string, minor: number | undefined): string {
  return `--${minor !== undefined && minor < 22 ? 'experimental-patches' : 'patches'}=${directory}`;
}

/**
 * The configuration, as kubeadm will read it, with the directory in it, or a flag where its version has no place for it.
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
  const kind = KINDS[verb];
  const own = readDocuments(text, 'file').some((document) => document.own && document.kind === kind);
  if (!own) {
    const gap = text.endsWith('\n') ? '' : '\n';
    const added = `---\napiVersion: kubeadm.k8s.io/${version}\nkind: ${kind}\npatches:\n  directory: ${directory}\n`;
    return { text: `${text}${gap}${added}`, flags: [] };
  }
  const put = putScalar(text, kind, ['patches', 'directory'], directory, (present) => present === undefined);
  // Where the place cannot be written to safely, kubeadm itself says whether it takes the flag beside the file.
  return { text: put, flags: put === text ? [patchesFlag(directory, minor)] : [] };
}

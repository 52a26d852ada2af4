/** The control plane of this machine or of the cluster. Texts: phases init and join, apiclient, 1.20 - 1.34. */
import { isBareError } from './output.ts';
import { inError, lineAround, OWN_SILENT, type Pattern, type PatternInput, shorten } from './pattern.ts';

const notInitialised: Pattern = inError(
  /configmaps "(kubeadm-config|kubelet-config[\w.-]*)" not found/,
  (match) => ({
    code: 'ClusterNotInitialised',
    cause: `The ConfigMap ${match[1]} is not in the cluster (yet).`,
  }),
);

const incomplete: Pattern = inError(
  /error when reading (kubeadm|kubelet)-config(\S*) ConfigMap: (\w+) key value pair missing/,
  (match) => ({
    code: 'ClusterNotInitialised',
    cause: `The ConfigMap ${match[1]}-config${match[2]} of the cluster has no ${match[3]}.`,
    remedy: `Run kubeadm init phase upload-config ${match[1]} on a control plane.`,
  }),
);

const noEndpoint: Pattern = inError(
  /unable to add a new control plane instance (?:to )?a cluster that doesn't have a stable controlPlaneEndpoint address/,
  () => ({ code: 'ControlPlaneEndpointMissing' }),
);

/** The only one in which a first member is written; there is no cluster yet that it could join. */
const IN_INIT = /^etcd\/local$/;

const inWait = ({ output }: PatternInput): boolean =>
  /^wait-control-plane|^control-plane-join\/wait/.test(output.phase ?? '');

const component: Pattern = inError(
  /(kube-apiserver|kube-controller-manager|kube-scheduler) check failed at (https?:\/\/\S+?)(?: with status: (\d+)|: ([^\n]*))/,
  (match, { output }) => {
    const all = [...output.error.matchAll(/(kube-[\w-]+) check failed/g)].map((found) => found[1]);
    const why =
      match[3] === undefined
        ? shorten((match[4] ?? '').replace(/(?:, kube-[\w-]+ check failed at .*|\])$/, ''), 120)
        : `HTTP status ${match[3]}`;
    return {
      code: 'ControlPlaneNotReady',
      cause: `${[...new Set(all)].join(', ')} did not become healthy in time (${match[2]}: ${why}).`,
    };
  },
);

/** Which of them, in the checks' own lines. */
const declaredOf: Pattern = ({ output }) => {
  const lines = [
    ...`${output.stdout}\n${output.error}`.matchAll(
      /\[(?:api|control-plane)-check\] (The API server|kube-[\w-]+|etcd) is not healthy after (\S+)/g,
    ),
  ];
  const [first] = lines;
  if (first === undefined) return undefined;
  const names = [...new Set(lines.map(([, name = '']) => name))];
  return {
    code: 'ControlPlaneNotReady',
    cause: `${names.join(', ')} did not become healthy within ${first[2]}.`,
    evidence: first[0],
  };
};

const neverUpAtAll: Pattern = inError(
  /could not bootstrap the admin user|couldn't initialize a Kubernetes cluster|could not initialize a Kubernetes cluster|failed while waiting for (?:the )?control plane[^\n]*|cannot obtain client|timed out waiting for the condition|context deadline exceeded|dial tcp [^\n]*/,
  () => ({
    code: 'ControlPlaneNotReady',
    cause: 'The API server on this machine did not answer in time.',
  }),
  inWait,
);

const neverUp: Pattern = (input) => {
  const found = neverUpAtAll(input);
  return found && { ...found, ...declaredOf(input), evidence: found.evidence };
};

/** Matches a trace that was cut before its last frames. */
const neverUpCut: Pattern = inError(
  new RegExp(
    `^(?:[Cc]ouldn't|could not) initialize a Kubernetes cluster\\b|failed while waiting for the control plane to start|${OWN_SILENT.source}`,
    'm',
  ),
  () => ({
    code: 'ControlPlaneNotReady',
    cause: 'The API server on this machine did not answer in time.',
  }),
  ({ output }) => output.phase === undefined,
);

/** It waits for nothing else in this phase, and names no reason. */
const neverUpBare: Pattern = (input) =>
  inWait(input) && isBareError(input.output)
    ? {
        code: 'ControlPlaneNotReady',
        cause:
          'The control plane on this machine did not come up in time; the output does not give the reason.',
        evidence: lineAround(input.output.error, input.output.error.indexOf('error execution phase')),
      }
    : undefined;

/** Only those lines are there. */
const declared: Pattern = (input) => (isBareError(input.output) ? declaredOf(input) : undefined);

const UNREAD =
  /^could not (?:list patch files|read patch file|split patches)|^unknown (?:target|patch)|^the file extension/;

/** `patches.directory` may change a static pod, the kubelet's configuration (1.25 on) and CoreDNS (1.32 on). */
const patch: Pattern = inError(
  /could not apply (?:patches to the ([^\n:]+)|kubelet instance configuration as a patch[^\n:]*|the following patch of type "[^"]*" to target "([^"]*)"): ?([^\n]*)/,
  (match, { output }) => {
    const [said, what, target] = match;
    const why = shorten(
      output.error.slice(output.error.indexOf(said) + said.length - (match[3] ?? '').length),
      200,
    );
    // Before any of them is applied all are read.
    const isUnread = UNREAD.test(why);
    const isKubelet = !isUnread && /kubelet/i.test(what ?? target ?? said);
    const isPod = !isUnread && !isKubelet && /^(?:kube-|etcd)/.test(target ?? '');
    return {
      code: isKubelet ? 'KubeletConfigInvalid' : isPod ? 'ControlPlaneConfigInvalid' : 'KubeadmConfigInvalid',
      cause: `kubeadm could not ${isUnread ? 'read the patches for' : 'apply a patch to'} ${/kubelet/i.test(what ?? target ?? said) ? "the kubelet's configuration" : (target ?? what)}${why === '' ? '' : `: ${why.trimEnd().replace(/\.$/, '')}`}.`,
      remedy: isUnread
        ? 'Correct patches.directory of the kubeadm configuration, or the names and contents of the files in it.'
        : 'Correct the patch in patches.directory of the kubeadm configuration.',
    };
  },
);

/** Before any of them is applied all are read. */
const patchFiles: Pattern = inError(
  /could not (?:list patch files for path|split patches for data|convert patch to JSON|read patch file)[^\n]*|couldn't read[^\n]*patch[^\n]*|could not apply patch[^\n]*|the file extension must be one of[^\n]*|unknown (?:or missing )?patch[^\n]*|unknown target, [^\n]*/i,
  (match) => ({
    code: 'KubeadmConfigInvalid',
    cause: `The patches for kubeadm cannot be used: ${shorten(match[0].replace(/:$/, ''), 200)}.`,
    remedy:
      'Correct patches.directory of the kubeadm configuration, or the names and contents of the files in it.',
  }),
);

const manifest: Pattern = inError(
  /failed to (?:create|write)[^\n]*(?:static pod|manifest)[^\n]*|error creating (?:static pod|control plane|local etcd static pod)[^\n]*|failed to (?:run component|create users and groups)[^\n]*|could not parse the address and port of all control plane components[^\n]*/i,
  (match) => ({
    code: 'ControlPlaneConfigInvalid',
    cause: `The static pods of the control plane could not be set up: ${shorten(match[0], 200)}.`,
  }),
  ({ output }) => !/etcd/.test(output.phase ?? '') || IN_INIT.test(output.phase ?? ''),
);

export const controlPlanePatterns: Pattern[] = [notInitialised, incomplete, noEndpoint, patch, component];
export const controlPlaneLatePatterns: Pattern[] = [
  neverUp,
  neverUpCut,
  declared,
  neverUpBare,
  patchFiles,
  manifest,
];

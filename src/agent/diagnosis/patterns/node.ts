/** The Node object, its name, and files of this machine. */
import { inError, type Pattern, shorten } from './pattern.ts';

const nameInUse: Pattern = inError(/a Node with name "([^"]+)" and status "Ready"/i, (match) => ({
  code: 'NodeNameInUse',
  cause: `A Ready Node named ${match[1]} is already in the cluster.`,
}));

const nameInvalid: Pattern = inError(
  /(?:invalid node name|nodeRegistration\.name|node name)[^\n]*?"([^"]*)"[^\n]*(?:subdomain|invalid|must)[^\n]*|nodes "([^"]+)" is forbidden: node "([^"]+)" is not allowed to modify node/,
  (match) => ({
    code: 'NodeNameInvalid',
    cause:
      match[2] === undefined
        ? `"${match[1]}" cannot be the name of a node.`
        : `The kubelet registers as ${match[3]}, but kubeadm expects the node name ${match[2]}.`,
    ...(match[2] === undefined
      ? {}
      : {
          remedy:
            "Make nodeRegistration.name and the kubelet's name (hostname-override, cloud provider) the same.",
        }),
  }),
);

const disk: Pattern = inError(
  /: (no space left on device|read-only file system|disk quota exceeded|input\/output error)/,
  (match, { output }) => {
    // The path stands between the colon before and this one.
    const [said = ''] = output.error.slice(0, match.index).split(/[\n:]/).slice(-1);
    const path = /\/[\w./-]+/.exec(said)?.[0];
    return {
      code:
        match[1] === 'read-only file system' || match[1] === 'input/output error'
          ? 'FileSystemReadOnly'
          : 'DiskFull',
      cause: `kubeadm could not write${path === undefined ? '' : ` ${path}`}: ${match[1]}.`,
      ...(match[1] === 'input/output error'
        ? { remedy: 'Check the kernel log for disk errors, and replace the disk or the machine.' }
        : {}),
    };
  },
);

/** What is a setting's own file is told by the patterns on settings. */
const denied: Pattern = inError(
  /(?:open|mkdir|l?stat|unlinkat|remove|rename|chmod|chown|readlink|fork\/exec) (\/[^\s:]{1,120}): (permission denied|operation not permitted)/,
  ([, path, why]) => ({
    code: 'FileAccessDenied',
    cause: `kubeadm may not use ${path} (${why}): it is not running as root, or SELinux or another policy forbids it.`,
  }),
);

/** 1.20: "error uploading crisocket"; newer: "error writing CRISocket for this node". */
const notRegistered: Pattern = inError(
  /error (?:uploading|writing) crisocket[^\n:]*: ([^\n]*(?:timed out waiting for the condition|context deadline exceeded|not found|rate: Wait)[^\n]*)|error (?:uploading|writing) crisocket[^\n:]*(?:…|\.{3})$/im,
  (match) => {
    const name = /nodes "([^"]+)" not found/.exec(match[1] ?? '')?.[1];
    return {
      code: 'NodeNotRegistered',
      cause:
        match[1] === undefined
          ? "This machine's Node could not be changed; the reason is cut off."
          : `The kubelet has not registered ${name === undefined ? 'this machine as a Node' : `the Node ${name}`} in time.`,
    };
  },
);

const notMarked: Pattern = inError(
  /error applying control-plane label and taints: ([^\n]*(?:timed out|deadline|not found|rate: Wait)[^\n]*)/,
  (match) => ({
    code: 'NodeNotRegistered',
    cause: `This machine's Node could not be given the control plane label and taints: ${shorten(match[1] ?? '', 160)}.`,
  }),
);

/** The last phase of `init`: the Node is looked for by the name that kubeadm has. */
const notFound: Pattern = inError(
  /error execution phase mark-control-plane:? [^\n]*nodes "([^"]+)" not found/,
  (match) => ({
    code: 'NodeNotRegistered',
    cause: `There is no Node ${match[1]}: the kubelet has not registered it in time, or has registered another name.`,
  }),
);

export const machinePatterns: Pattern[] = [disk];
export const accessPatterns: Pattern[] = [denied];
export const nodePatterns: Pattern[] = [nameInUse, nameInvalid];
export const registrationPatterns: Pattern[] = [notRegistered, notMarked, notFound];

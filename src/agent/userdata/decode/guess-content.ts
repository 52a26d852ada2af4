import { printable } from '../../text/diagnostics.ts';

type Reading = readonly [beginning: RegExp, what: string];

/** What people write in place of the first line that they mean. */
const NEARLY: readonly Reading[] = [
  [/^#+[ \t]*template\b/i, 'it must be "## template: jinja", with these two blanks'],
  [/^#+[ \t]*cloud[ \t_-]*config\b/i, 'it must be #cloud-config, in this spelling'],
];

/** Objects of Kubernetes, by their kind. */
const OBJECTS: readonly Reading[] = [
  [
    /^(?:Secret|List)$/,
    "of a machine's Secret, data.value holds the user data in base64 (kubectl get secret NAME -o jsonpath='{.data.value}' | base64 -d)",
  ],
  [
    /^(?:Init|Join|Cluster|Kubelet|KubeProxy|Reset)Configuration$/,
    'kubeadm reads it from a file: write it in write_files of a cloud-config, and call kubeadm with --config in its runcmd',
  ],
  [
    /^(?:Machine|Cluster|.*Config|.*ConfigTemplate|.*ControlPlane|.*ControlPlaneTemplate)$/,
    "it is for the management cluster; the user data is made there, and lie in the Secret that the Machine's spec.bootstrap.dataSecretName names",
  ],
];
const OBJECT = 'what a machine is given as user data is the value of its bootstrap data Secret';

/** What people, and programs that have failed, hand over for user data; the first that fits. */
const ANOTHER: readonly Reading[] = [
  [
    /^<(?:!doctype html|html|head|body)\b/i,
    'it is a page of HTML, most likely the error of a server in place of the user data: look at it, and at the address',
  ],
  [
    /^<\?xml\b|^<[a-z][\w:-]*[\s>]/i,
    'it is XML; an OVF environment holds the user data in base64, in its property user-data',
  ],
  [
    /^\{\s*"(?:error|errors|message|code|status|detail|fault|title)"\s*:/i,
    'it reads like an answer in JSON that says why a server did not give the user data',
  ],
  [
    /^(?:HTTP\/\d|\d{3}[ \t:-]+[A-Z]|(?:error|fatal|warning)\b[^\n]*:|(?:not found|forbidden|unauthorized|access denied)\b)/i,
    'it reads like the error of a program or a server in place of the user data',
  ],
  [/^-----BEGIN [A-Z0-9 ]+-----/, 'it is a key or a certificate, in PEM'],
  [/^\{\{|^\{%|^<%|^\$\{/, 'it begins with a template that nobody has rendered'],
  [
    /^\[settings\./,
    "it reads like the settings of Bottlerocket, which nothing but that system's own programs read",
  ],
  [
    /^(?:machine[ \t]*:[ \t]*\n|version[ \t]*:[ \t]*["']?v1alpha1\b)/,
    'it reads like a machine configuration of Talos, which nothing but Talos reads',
  ],
  [
    /^(?:network|ethernets|bonds|bridges|vlans)[ \t]*:/,
    'it reads like a network configuration, which lies beside the user data (--network-config)',
  ],
  [
    /^(?:instance-id|local-hostname)[ \t]*:/,
    'it reads like metadata, which lie beside the user data (--meta-data)',
  ],
  [/^variant[ \t]*:/, 'it reads like Butane: the program butane makes an Ignition config of it'],
  [
    /^(?:systemd|storage|passwd|ignition)[ \t]*:/,
    'it reads like a Container Linux Config: the program ct makes an Ignition config of it',
  ],
  [
    /^(?:k3os|rke2|k0s|stages)[ \t]*:/,
    'it is for another installer, and no cloud-config of which Slipway knows the keys',
  ],
  [/^[a-z][\w-]*[ \t]*:(?:\s|$)/i, 'where this is a cloud-config, #cloud-config must stand above it'],
  [
    /^(?:set -|export |sudo |cd |mkdir |echo |curl |wget |apt(?:-get)? |dnf |yum |systemctl |kubeadm |swapoff |modprobe |cat |if |for |function |[A-Z_]+=)/,
    'it reads like a shell script: #!/bin/sh must stand above it',
  ],
  [
    /^[A-Za-z0-9+/]{40,}(?:\s[A-Za-z0-9+/]+)*={0,2}\s*$/,
    'it reads like base64 of which the end is missing, or of something that is no user data (base64 -d shows it)',
  ],
];

const ORDINARY = '#cloud-config, or a JSON object with the key ignition, is what it begins with most often';

/** What a text that is no user data reads like from `head` on, and what to do. */
export function guessContent(head: string, text: string): string {
  const nearly = NEARLY.find(([beginning]) => beginning.test(head));
  if (nearly !== undefined) return nearly[1];
  const line = text.split('\n').findIndex((one) => /^#cloud-config\s*$/.test(one)) + 1;
  const bare = head.replace(/^(?:---[^\S\n]*\n|#[^\n]*\n|\s+)*/, '');
  const kind = objectOf(bare);
  if (kind !== undefined) {
    const what = OBJECTS.find(([name]) => name.test(kind))?.[1] ?? OBJECT;
    return `it is an object of Kubernetes (${printable(kind)}): ${what}`;
  }
  if (line > 0) return `#cloud-config stands on line ${line}, and must be the first`;
  const script = interpreterLine(text);
  if (script !== undefined) return script;
  return ANOTHER.find(([beginning]) => beginning.test(bare))?.[1] ?? ORDINARY;
}

/** Above it stand comments, or lines that some program has printed; a script of its own would begin further below. */
const MOST_LINES_ABOVE = 20;

function interpreterLine(text: string): string | undefined {
  const lines = text.split('\n', MOST_LINES_ABOVE);
  const at = lines.findIndex((line) => /^\s*#!\s*\/\S/.test(line));
  if (at === -1) return undefined;
  return `${printable((lines[at] ?? '').trim())} on line ${at + 1} must be the first line`;
}

function objectOf(head: string): string | undefined {
  if (!/^(?:\{\s*)?["']?(?:apiVersion|kind)\b/.test(head)) return undefined;
  return /(?:^|[\n{,])\s{0,8}["']?kind["']?:\s*["']?(\w+)/.exec(head)?.[1];
}

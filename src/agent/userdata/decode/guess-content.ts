import { printable } from '../../text/diagnostics.ts';

type Reading = readonly [beginning: RegExp, what: string];

/** What people write in place of the first line that they mean. */
const NEARLY: readonly Reading[] = [
  [/^#+[ \t]*template\b/i, 'it must be "## template: jinja", with these two spaces'],
  [/^#+[ \t]*cloud[ \t_-]*config\b/i, 'it must be #cloud-config, in this spelling'],
];

/** Objects of Kubernetes, by their kind. */
const OBJECTS: readonly Reading[] = [
  [
    /^(?:Secret|List)$/,
    "in a machine's Secret, data.value is the user data in base64 (kubectl get secret NAME -o jsonpath='{.data.value}' | base64 -d)",
  ],
  [
    /^(?:Init|Join|Cluster|Kubelet|KubeProxy|Reset)Configuration$/,
    'kubeadm reads it from a file: add it to write_files in a cloud-config, and run kubeadm with --config in runcmd',
  ],
  [
    /^(?:Machine|Cluster|.*Config|.*ConfigTemplate|.*ControlPlane|.*ControlPlaneTemplate)$/,
    "it is for the management cluster; the user data is generated there, in the Secret named by the Machine's spec.bootstrap.dataSecretName",
  ],
];
const OBJECT = "a machine's user data is the value of its bootstrap data Secret";

/** What people, and programs that have failed, hand over for user data; the first that fits. */
const ANOTHER: readonly Reading[] = [
  [
    /^<(?:!doctype html|html|head|body)\b/i,
    'it is an HTML page, most likely an error page of a server instead of the user data: check its text and the URL',
  ],
  [
    /^<\?xml\b|^<[a-z][\w:-]*[\s>]/i,
    'it is XML; an OVF environment has the user data in base64, in its property user-data',
  ],
  [
    /^\{\s*"(?:error|errors|message|code|status|detail|fault|title)"\s*:/i,
    'it looks like a JSON error response from a server instead of the user data',
  ],
  [
    /^(?:HTTP\/\d|\d{3}[ \t:-]+[A-Z]|(?:error|fatal|warning)\b[^\n]*:|(?:not found|forbidden|unauthorized|access denied)\b)/i,
    'it looks like an error message of a program or server instead of the user data',
  ],
  [/^-----BEGIN [A-Z0-9 ]+-----/, 'it is a PEM key or certificate'],
  [/^\{\{|^\{%|^<%|^\$\{/, 'it begins with a template that was not rendered'],
  [/^\[settings\./, 'it looks like Bottlerocket settings, which only Bottlerocket reads'],
  [
    /^(?:machine[ \t]*:[ \t]*\n|version[ \t]*:[ \t]*["']?v1alpha1\b)/,
    'it looks like a Talos machine configuration, which only Talos reads',
  ],
  [
    /^(?:network|ethernets|bonds|bridges|vlans)[ \t]*:/,
    'it looks like a network configuration, which is provided separately (--network-config)',
  ],
  [
    /^(?:instance-id|local-hostname)[ \t]*:/,
    'it looks like metadata, which is provided separately (--meta-data)',
  ],
  [/^variant[ \t]*:/, 'it looks like Butane: convert it to an Ignition config with butane'],
  [
    /^(?:systemd|storage|passwd|ignition)[ \t]*:/,
    'it looks like a Container Linux Config: convert it to an Ignition config with ct',
  ],
  [
    /^(?:k3os|rke2|k0s|stages)[ \t]*:/,
    'it is for another installer, not a cloud-config whose keys Slipway knows',
  ],
  [/^[a-z][\w-]*[ \t]*:(?:\s|$)/i, 'if this is a cloud-config, its first line must be #cloud-config'],
  [
    /^(?:set -|export |sudo |cd |mkdir |echo |curl |wget |apt(?:-get)? |dnf |yum |systemctl |kubeadm |swapoff |modprobe |cat |if |for |function |[A-Z_]+=)/,
    'it looks like a shell script: its first line must be #!/bin/sh',
  ],
  [
    /^[A-Za-z0-9+/]{40,}(?:\s[A-Za-z0-9+/]+)*={0,2}\s*$/,
    'it looks like base64 that is truncated or does not encode user data (decode it with base64 -d)',
  ],
];

const ORDINARY = 'user data usually begins with #cloud-config, or is a JSON object with the key ignition';

/** What a text that is no user data reads like from `head` on, and what to do. */
export function guessContent(head: string, text: string): string {
  const nearly = NEARLY.find(([beginning]) => beginning.test(head));
  if (nearly !== undefined) return nearly[1];
  const line = text.split('\n').findIndex((one) => /^#cloud-config\s*$/.test(one)) + 1;
  const bare = head.replace(/^(?:---[^\S\n]*\n|#[^\n]*\n|\s+)*/, '');
  const kind = objectOf(bare);
  if (kind !== undefined) {
    const what = OBJECTS.find(([name]) => name.test(kind))?.[1] ?? OBJECT;
    return `it is a Kubernetes object (${printable(kind)}): ${what}`;
  }
  if (line > 0) return `#cloud-config is on line ${line}, but must be the first line`;
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

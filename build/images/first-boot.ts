import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../project.ts';

// node build/images/first-boot.ts: renews the files of cloud-init/ that hold scripts which stand elsewhere.

const SETTINGS = `# The folder of a release, of any web server: it is not trusted. The key and the version are.
SLIPWAY_URL=@URL@
SLIPWAY_VERSION=@VERSION@
SLIPWAY_KEY=@KEY@
# SHA-256 of this architecture's program; where it is empty, the signature alone decides.
SLIPWAY_SHA256=
# For so many seconds a server that does not answer is asked again.
SLIPWAY_WAIT=300
`;

/** Text of each file by its path in the checkout: user data and vendor data for images without Slipway. */
export function firstBootFiles(): Record<string, string> {
  const read = (...names: string[]) => readFileSync(join(root, ...names), 'utf8');
  const verify = read('release', 'verify.sh').trimEnd();
  const script = SETTINGS + read('cloud-init', 'fetch.sh').replace('@verify.sh@', () => verify);
  const indented = script.replace(/^(?=.)/gm, '    ');
  return {
    'cloud-init/vendor-data.sh': `#cloud-boothook\n#!/bin/sh\n${script}`,
    'cloud-init/download.yaml': `#cloud-config
# For images without Slipway: fetches it before the commands that follow, of which kubeadm is one.
write_files:
- path: /run/slipway-fetch.sh
  permissions: '0700'
  content: |
    #!/bin/sh
${indented}runcmd:
- sh /run/slipway-fetch.sh
`,
  };
}

if (import.meta.main)
  for (const [path, text] of Object.entries(firstBootFiles())) writeFileSync(join(root, path), text);

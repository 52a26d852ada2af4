import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORT_UNITS } from '../../src/agent/install/layout.ts';
import { root, unitFile } from '../project.ts';

// npm run node -- build/images/first-boot.ts: renews the files of cloud-init/ and ignition/ that hold what stands elsewhere.

/** The units that `slipway install --report` puts into an image. */
const UNITS: readonly string[] = REPORT_UNITS;

const SETTINGS = `# The folder of a release, of any web server: it is not trusted. The key and the version are.
SLIPWAY_URL=@URL@
SLIPWAY_VERSION=@VERSION@
SLIPWAY_KEY=@KEY@
# SHA-256 of this architecture's program; where it is empty, the signature alone decides.
SLIPWAY_SHA256=
# For so many seconds a server that does not answer is asked again.
SLIPWAY_WAIT=300
`;

/** Text of each file by its path in the checkout: what images without Slipway get at their first boot. */
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
    ...Object.fromEntries(
      ['ignition/download.ign', 'ignition/download-2.3.ign'].map((path) => [path, withReporter(read(path))]),
    ),
  };
}

interface Ignition {
  systemd: { units: { name: string; contents?: string }[] };
}

/** An Ignition config with the reporter's units as they are now. */
function withReporter(text: string): string {
  const config = JSON.parse(text) as Ignition;
  for (const unit of config.systemd.units)
    if (unit.contents !== undefined && UNITS.includes(unit.name))
      unit.contents = unitFile(unit.name).replaceAll('/usr/local/bin/', '/opt/bin/');
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

if (import.meta.main)
  for (const [path, text] of Object.entries(firstBootFiles())) writeFileSync(join(root, path), text);

import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { root } from '../../../build/project.ts';
import { DIST } from '../../support/machines.ts';

const PACKER = join(root, 'packer');
/** They fetch from the network what a node image of the lab has already. */
const LEFT_OUT = ['node', 'providers', 'containerd', 'kubernetes'];
/** Of image-builder's Packer: what `make` hands to every template. */
const CONFIGS = [
  ...['kubernetes', 'cni', 'containerd', 'wasm-shims', 'ansible-args', 'goss-args', 'common'],
  ...['additional_components', 'ecr_credential_provider'],
];

/** What a build leaves in the image. */
export const LEFT = [
  '/etc/systemd/system/slipway-report.service',
  '/etc/systemd/system/sysinit.target.wants/slipway-report.service',
  '/usr/local/bin/slipway',
];

/** Lays into `dir` what the machine has on which an image is built: paths are those of the shipped image-builder.json. */
export function layBuilder(dir: string, checkout: string): void {
  const src = join(dir, 'src');
  cpSync(PACKER, join(src, 'slipway/packer'), { recursive: true });
  mkdirSync(join(src, 'slipway/dist'));
  cpSync(DIST, join(src, 'slipway/dist/slipway-linux-x64'));
  const capi = join(src, 'image-builder/images/capi');
  for (const folder of ['ansible', 'packer/goss', 'packer/config'])
    cpSync(join(checkout, 'images/capi', folder), join(capi, folder), { recursive: true });
  for (const role of LEFT_OUT) {
    rmSync(join(capi, 'ansible/roles', role), { recursive: true });
    mkdirSync(join(capi, 'ansible/roles', role, 'tasks'), { recursive: true });
    writeFileSync(join(capi, 'ansible/roles', role, 'tasks/main.yml'), '[]\n');
  }
  const sha256 = createHash('sha256').update(readFileSync(DIST)).digest('hex');
  const ours = readFileSync(join(PACKER, 'image-builder.json'), 'utf8').replace('@SHA256@', sha256);
  const variables = Object.assign(
    {},
    ...CONFIGS.map((name) => JSON.parse(readFileSync(join(capi, `packer/config/${name}.json`), 'utf8'))),
    JSON.parse(ours),
  ) as Record<string, string>;
  // As the template of QEMU has the provisioner.
  const words = [
    ...['--extra-vars', filled(variables.ansible_common_vars ?? '', variables)],
    ...['--extra-vars', 'ansible_python_interpreter=/usr/bin/python3'],
    ...['--extra-vars', filled('{{user `ansible_user_vars`}}', variables)],
    ...['--extra-vars', 'packer_build_name=qemu packer_builder_type=qemu'],
  ];
  writeFileSync(join(src, 'words'), words.map((word) => `${word}\0`).join(''));
  writeFileSync(
    join(src, 'build.sh'),
    `cd /src/image-builder/images/capi
export HOME=/root LC_ALL=C.UTF-8 ANSIBLE_HOST_KEY_CHECKING=False ANSIBLE_TIMEOUT=120
# The play removes the keys by which it came: Packer keeps its connection, too.
export ANSIBLE_SSH_ARGS='-o IdentitiesOnly=yes -o ControlMaster=auto -o ControlPersist=600s'
exec xargs -0 -a /src/words ansible-playbook -i /src/hosts ./ansible/node.yml
`,
  );
  execaSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(src, 'key')]);
  writeFileSync(
    join(src, 'hosts.in'),
    'default ansible_host=@IP@ ansible_user=builder ansible_ssh_private_key_file=/src/key\n',
  );
  // As README.md says: a copy of the folder, with our file, named in an entry file.
  cpSync(join(PACKER, 'goss/goss-slipway.yaml'), join(capi, 'packer/goss/goss-slipway.yaml'));
  writeFileSync(
    join(capi, 'packer/goss/ours.yaml'),
    'gossfile:\n  goss-image-hygiene.yaml: {}\n  goss-slipway.yaml: {}\n',
  );
}

/** A text of Packer's with its variables, and what they name in turn. */
function filled(text: string, variables: Readonly<Record<string, string>>): string {
  const once = text.replace(/\{\{ ?user `(\w+)` ?\}\}/g, (_, name: string) => variables[name] ?? '');
  return once === text ? text.replace(/\{\{.*?\}\}/g, '') : filled(once, variables);
}

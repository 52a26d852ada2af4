import type { Diagnostic, Document, Position } from '../document/document.ts';
import { printable } from '../text/diagnostics.ts';
import type { PlannedStep } from './kind/step-kind.ts';

/** The kinds of steps that Windows has. */
const DONE = [
  ...['boot-command', 'boot-script', 'command', 'files', 'tree', 'secret-deletion'],
  ...[
    'preflight',
    'kubeadm',
    'sentinel',
    'kubeadm-patches',
    'static-pods',
    'left-call',
    'perhaps-node',
    'ready',
  ],
];

/**
 * What the metadata say of every machine, and cloudbase-init's other plug-ins do; an error only where the user data asks for it
 * by one of these keys.
 */
const LEFT: Readonly<Record<string, readonly string[]>> = {
  network: [],
  hostname: ['hostname', 'fqdn'],
  loginKeys: ['ssh_authorized_keys', 'loginKeys'],
};

/** The keys of cloud-config that ask for a kind, where they are not called as it is. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  disks: ['disk_setup'],
  filesystems: ['fs_setup'],
  growPartitions: ['growpart'],
  growRoot: ['resize_rootfs'],
  hosts: ['manage_etc_hosts'],
  resolver: ['manage_resolv_conf', 'resolv_conf'],
  authorities: ['ca_certs', 'ca-certs'],
  hostKeys: ['ssh_keys', 'ssh_deletekeys', 'ssh_genkeytypes'],
  passwords: ['chpasswd', 'password'],
  passwordLogin: ['ssh_pwauth'],
  repositories: ['apt', 'yum_repos', 'zypper'],
  packages: ['packages', 'package_upgrade', 'package_update', 'package_reboot_if_required'],
  randomSeed: ['random_seed'],
  phoneHome: ['phone_home'],
  finalMessage: ['final_message'],
  powerState: ['power_state'],
  ...Object.fromEntries(['kernel', 'proxy', 'containerd'].map((kind) => [kind, ['slipway']])),
};

const HELP = "have the image or a command do it, or one of cloudbase-init's plug-ins";

/** The steps of a plan that are done on Windows. */
export function stepsOnWindows(planned: readonly PlannedStep[]): PlannedStep[] {
  return planned.filter(({ kind }) => !Object.hasOwn(LEFT, kind));
}

/** An error for each step of a plan that Windows lacks: half of what was asked for is worse than nothing. */
export function lackingOnWindows(document: Document, planned: readonly PlannedStep[]): Diagnostic[] {
  const wanted = [
    ...planned.filter(({ kind }) => !DONE.includes(kind)),
    ...(document.system?.powerState === undefined
      ? []
      : [{ kind: 'powerState', title: 'shut the machine down or restart it', spec: undefined }]),
  ];
  return wanted.flatMap(({ kind, title, spec }): Diagnostic[] => {
    const key = document.keys?.find(({ name }) => namesOf(kind).includes(name));
    if (Object.hasOwn(LEFT, kind) && key === undefined) return [];
    const where = placeIn(spec) ?? key?.where;
    const message = `${key === undefined ? '' : `${printable(key.name)}: `}Slipway does not do this on Windows (${title}); ${HELP}`;
    return [{ severity: 'error', code: 'UserDataInvalid', message, ...(where ? { where } : {}) }];
  });
}

const namesOf = (kind: string): readonly string[] => LEFT[kind] ?? [kind, ...(KEYS[kind] ?? [])];

/** Where the first entry of a step stands. */
function placeIn(spec: unknown): Position | undefined {
  if (typeof spec !== 'object' || spec === null || spec instanceof Uint8Array) return undefined;
  if ('where' in spec && spec.where !== undefined) return spec.where as Position;
  for (const inner of Object.values(spec)) {
    const found = placeIn(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

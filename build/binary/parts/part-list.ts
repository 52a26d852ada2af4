import type { PartName } from './linker.ts';

interface PartOfAgent {
  readonly name: PartName;
  /** Modules with which it begins, where an earlier part imports them dynamically; it holds what only they need. */
  readonly doors: readonly RegExp[];
}

/** Those of a later part are taken out first: what an earlier one reaches through no door of theirs is its own. */
export const PARTS: readonly PartOfAgent[] = [
  /** What applies cloud-config with files and commands to a machine. */
  { name: 'main', doors: [] },
  /** What makes a node of a machine besides: where its user data come from, accounts, keys, disks, and kubeadm. */
  {
    name: 'node',
    doors: [
      /^src\/agent\/again\/strange-seed\.ts$/,
      /^src\/agent\/cli\/plan\.ts$/,
      /^src\/agent\/engine\/power-state\.ts$/,
      /^src\/agent\/host\/linux\/(process\/read-slow|system\/tpm-channel)\.ts$/,
      /^src\/agent\/kubeadm\/(?!run\/explain-failure)/,
      /^src\/agent\/preflight\//,
      /^src\/agent\/steps\/(accounts|kubeadm)\//,
      /^src\/agent\/steps\/node\/(kernel|ntp|proxy|secret-deletion)\.ts$/,
      /^src\/agent\/steps\/system\/(access\/(?!imported-keys)|disk\/|local\/hosts)/,
      /^src\/agent\/userdata\/network\//,
      /^src\/agent\/userdata\/sources\/(exposed|search)\.ts$/,
    ],
  },
  /** What a bootstrap of cloud-config from NoCloud does without, as long as nothing fails. */
  {
    name: 'later',
    doors: [
      /^src\/agent\/again\/(?!strange-seed)/,
      /^src\/agent\/(collect|credential|facts|fetch|identity|network|sealed|stores|wipe)\//,
      /^src\/agent\/cli\/(authors|facts|shim)\//,
      /^src\/agent\/cli\/(collect|credential|diagnose|explain-command|identity|install|network|preflight|report|reset|status|version-command)\.ts$/,
      /^src\/agent\/cli\/(process\/(cloudbase-init|plan-file)|text\/help)\.ts$/,
      /^src\/agent\/diagnosis\/causes\/lost-attempt\.ts$/,
      /^src\/agent\/host\/linux\/files\/read-pipe\.ts$/,
      /^src\/agent\/kubeadm\/run\/explain-failure\.ts$/,
      /^src\/agent\/steps\/(ahead\/(impossible-tree|lacking-[a-z]+|warnings)|lacking)\.ts$/,
      /^src\/agent\/steps\/(boot|containerd|network|storage|tree|units|volumes)\//,
      /^src\/agent\/steps\/on-windows\.ts$/,
      /^src\/agent\/steps\/system\/(access\/imported-keys|ending|software|local\/(?!hosts))/,
      /^src\/agent\/userdata\/(forms|handed|ignition|native|sealed)\//,
      /^src\/agent\/userdata\/sources\/(?!channels\/cloud-init\.ts)(azure|channels|clouds|openstack)\//,
      /^src\/kit\/command-line\//,
    ],
  },
];

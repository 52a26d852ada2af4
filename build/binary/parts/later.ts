/** By this word main asks for the later part. */
export const LATER_PART = 'slipway:later';

/**
 * What a bootstrap of cloud-config from NoCloud does without, kubeadm included, as long as nothing fails. The modules named here are doors: where main imports one
 * dynamically, the later part is read, which holds them and all that only they need.
 */
export const LATER: readonly RegExp[] = [
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
];

/**
 * Reasons why keys of cloud-config that cloud-init knows have no effect here. Keys that neither this table
 * nor the reader has are "not known". See docs/user-data.md.
 */
const UNSUPPORTED = 'is not supported';
const IMAGE = 'is a matter of the image';
const NETWORK = 'would use the network, which Slipway does not do';
const HARMLESS = 'has no effect on a Kubernetes node';

export const KNOWN_KEYS: Readonly<Record<string, string>> = {
  ansible: UNSUPPORTED,
  apk_repos: IMAGE,
  apt_pipelining: IMAGE,
  autoinstall: IMAGE,
  byobu_by_default: HARMLESS,
  chef: UNSUPPORTED,
  cloud_config_modules: 'configures cloud-init itself',
  cloud_final_modules: 'configures cloud-init itself',
  cloud_init_modules: 'configures cloud-init itself',
  datasource: 'configures cloud-init itself',
  datasource_list: 'configures cloud-init itself',
  debug: 'configures cloud-init itself',
  disable_ec2_metadata: UNSUPPORTED,
  grub_dpkg: IMAGE,
  landscape: UNSUPPORTED,
  mcollective: UNSUPPORTED,
  network: 'is not read from user data',
  no_ssh_fingerprints: 'is about messages of cloud-init',
  output: 'configures cloud-init itself',
  puppet: UNSUPPORTED,
  reporting: 'configures cloud-init itself',
  rh_subscription: NETWORK,
  rsyslog: UNSUPPORTED,
  salt_minion: UNSUPPORTED,
  snap: NETWORK,
  ssh: UNSUPPORTED,
  ssh_fp_console_blacklist: 'is about messages of cloud-init',
  ssh_key_console_blacklist: 'is about messages of cloud-init',
  ssh_publish_hostkeys: UNSUPPORTED,
  ubuntu_advantage: NETWORK,
  ubuntu_pro: NETWORK,
  lxd: UNSUPPORTED,
  drivers: IMAGE,
  fan: HARMLESS,
  'grub-dpkg': IMAGE,
  rpi: IMAGE,
  spacewalk: NETWORK,
  authkey_hash: 'is about messages of cloud-init',
  updates: UNSUPPORTED,
  wireguard: UNSUPPORTED,
};

/**
 * Why keys of cloud-config that cloud-init knows have no effect here, and what has. Keys that neither this table
 * nor the reader has are "not known". See docs/user-data.md.
 */
const IMAGE = 'is a matter of the image';
const HARMLESS = 'has no effect on a Kubernetes node';
const OWN = 'configures cloud-init itself';
const MESSAGES = 'is about messages of cloud-init';
const OTHER_TOOL = 'gives the machine to another tool, which a command of runcmd can call';
const SUBSCRIPTION = 'is a subscription of the distribution, which a command of runcmd can take out';

export const KNOWN_KEYS: Readonly<Record<string, string>> = {
  ansible: OTHER_TOOL,
  apk_repos: IMAGE,
  apt_pipelining: IMAGE,
  authkey_hash: MESSAGES,
  autoinstall: IMAGE,
  byobu_by_default: HARMLESS,
  chef: OTHER_TOOL,
  cloud_config_modules: OWN,
  cloud_final_modules: OWN,
  cloud_init_modules: OWN,
  datasource: OWN,
  datasource_list: OWN,
  debug: OWN,
  disable_ec2_metadata: 'would cut the kubelet off as well; a command of runcmd can add the route',
  drivers: IMAGE,
  fan: HARMLESS,
  'grub-dpkg': IMAGE,
  grub_dpkg: IMAGE,
  landscape: SUBSCRIPTION,
  lxd: 'sets up another host of machines, which a command of runcmd can do',
  mcollective: OTHER_TOOL,
  network: 'is not read from user data, by cloud-init neither; it lies beside them (docs/network.md)',
  no_ssh_fingerprints: MESSAGES,
  output: OWN,
  puppet: OTHER_TOOL,
  reporting: OWN,
  rh_subscription: SUBSCRIPTION,
  rpi: IMAGE,
  rsyslog: 'is not written; a file of write_files in /etc/rsyslog.d does the same',
  salt_minion: OTHER_TOOL,
  snap: 'installs no packages of snap; a command of runcmd can',
  spacewalk: SUBSCRIPTION,
  ssh: MESSAGES,
  ssh_fp_console_blacklist: MESSAGES,
  ssh_key_console_blacklist: MESSAGES,
  ssh_publish_hostkeys: "would write into the cloud's metadata, which Slipway never does",
  ubuntu_advantage: SUBSCRIPTION,
  ubuntu_pro: SUBSCRIPTION,
  updates: 'is not watched for; slipway bootstrap --again acts upon what has changed',
  wireguard: 'is not set up; a file of write_files and a command of runcmd do the same',
};

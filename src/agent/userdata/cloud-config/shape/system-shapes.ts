import {
  anything,
  bool,
  deprecated,
  either,
  like,
  list,
  map,
  no,
  nothing,
  oneOf,
  type Shape,
  table,
  text,
  wholeNumber,
} from '../../../text/shape/shape.ts';

const command = either(text, list(text));
const scalar: Shape = either(text, bool, wholeNumber(), nothing, list(text), table(text));
const file = map(
  {
    path: text,
    content: text,
    // The hash is Slipway's own.
    source: map({ uri: text, headers: table(text), hash: text }, ['uri']),
    owner: text,
    permissions: text,
    encoding: oneOf(
      'gz',
      'gzip',
      'gz+base64',
      'gzip+base64',
      'gz+b64',
      'gzip+b64',
      'b64',
      'base64',
      'text/plain',
    ),
    append: bool,
    defer: bool,
  },
  ['path'],
);
const SIZE = like(/^(?:[0-9]*\.)?[0-9]+[BKMGT]$/, 'a size such as 512M');

const disk = map({
  table_type: oneOf('mbr', 'gpt'),
  layout: either(
    oneOf('remove'),
    bool,
    list(either(wholeNumber(), list(either(wholeNumber(), text), { min: 2, max: 2 }))),
  ),
  overwrite: bool,
});
const filesystem = map({
  label: text,
  filesystem: text,
  device: text,
  partition: oneOf('auto', 'any', 'none'),
  overwrite: bool,
  replace_fs: text,
  extra_opts: command,
  cmd: command,
});
const authorities = map(
  {
    remove_defaults: bool,
    'remove-defaults': deprecated('remove_defaults'),
    trusted: list(text, { min: 1 }),
  },
  [],
  1,
);
const servers = list(text, { unique: true });

const settings = list(
  oneOf(
    ...['allow_delete', 'no_replace', 'replace', 'append', 'prepend'],
    ...['recurse_dict', 'recurse_list', 'recurse_array', 'recurse_str'],
  ),
);
const ways = either(
  text,
  list(map({ name: oneOf('list', 'dict', 'str'), settings }, ['name', 'settings']), { min: 1 }),
);

/** Keys about files, commands, disks and the system. */
export const SYSTEM_SHAPES: Readonly<Record<string, Shape>> = {
  bootcmd: list(command, { min: 1 }),
  runcmd: list(either(text, list(text), nothing), { min: 1 }),
  write_files: list(file, { min: 1 }),
  hostname: text,
  fqdn: text,
  preserve_hostname: bool,
  prefer_fqdn_over_hostname: bool,
  create_hostname_file: bool,
  manage_etc_hosts: either(bool, oneOf('localhost', 'template')),
  device_aliases: table(text),
  // Cluster API writes these keys where one of the two is asked for, and the numbers of mounts without quotes. Nobody can mend
  // that in a KubeadmConfig, and every release of cloud-init takes it.
  disk_setup: either(nothing, table(disk)),
  fs_setup: either(nothing, list(filesystem)),
  mounts: list(list(either(text, wholeNumber(0)), { min: 1, max: 6 }), { min: 1 }),
  mount_default_fields: list(either(text, nothing), { min: 6, max: 6 }),
  swap: map({
    filename: text,
    size: either(oneOf('auto'), wholeNumber(), SIZE),
    maxsize: either(wholeNumber(), SIZE),
  }),
  growpart: map({
    mode: either(oneOf('auto', 'growpart', 'gpart', 'off'), no),
    devices: list(text),
    ignore_growroot_disabled: bool,
  }),
  resize_rootfs: either(bool, oneOf('noblock')),
  ntp: either(
    nothing,
    map({
      // Cluster API writes `servers:` where there are none.
      pools: either(nothing, servers),
      servers: either(nothing, servers),
      peers: servers,
      allow: servers,
      ntp_client: text,
      enabled: bool,
      config: map(
        { confpath: text, check_exe: text, packages: servers, service_name: text, template: text },
        [],
        1,
      ),
    }),
  ),
  vendor_data: map({ enabled: either(bool, text), prefix: either(text, list(either(text, wholeNumber()))) }),
  merge_how: ways,
  merge_type: ways,
  'launch-index': wholeNumber(),
  system_info: table(anything),
  timezone: text,
  locale: either(text, bool),
  locale_configfile: text,
  keyboard: map({ layout: text, model: text, variant: text, options: text }, ['layout']),
  ca_certs: authorities,
  'ca-certs': deprecated('ca_certs'),
  resolv_conf: map({
    nameservers: list(scalar),
    searchdomains: list(scalar),
    domain: text,
    sortlist: list(scalar),
    options: table(scalar),
  }),
  manage_resolv_conf: bool,
  packages: list(
    either(text, list(text, { min: 2, max: 2 }), table(list(either(text, list(text, { min: 2, max: 2 }))))),
    {
      min: 1,
    },
  ),
  package_update: bool,
  package_upgrade: bool,
  package_reboot_if_required: bool,
  apt_update: deprecated('package_update'),
  apt_upgrade: deprecated('package_upgrade'),
  apt_reboot_if_required: deprecated('package_reboot_if_required'),
  power_state: map(
    {
      mode: oneOf('poweroff', 'reboot', 'halt'),
      delay: either(wholeNumber(0), oneOf('now'), like(/^\+?[0-9]+$/, 'minutes')),
      message: text,
      timeout: wholeNumber(),
      condition: either(text, bool, list(text)),
    },
    ['mode'],
  ),
  phone_home: map({ url: text, post: either(oneOf('all'), list(text)), tries: wholeNumber() }, ['url']),
  final_message: text,
  random_seed: map({
    file: text,
    data: text,
    encoding: oneOf('raw', 'base64', 'b64', 'gzip', 'gz'),
    command: list(text),
    command_required: bool,
  }),
};

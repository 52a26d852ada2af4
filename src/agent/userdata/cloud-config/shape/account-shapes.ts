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
  open,
  type Shape,
  table,
  text,
  wholeNumber,
} from '../../../text/shape/shape.ts';

const names = either(text, list(text, { min: 1 }), table(nothing));
const keys = list(text, { min: 1 });

/** A user as cloud-init's schema has it; names with hyphens are old spellings of the same keys. */
const user: Record<string, Shape> = {
  name: text,
  doas: keys,
  expiredate: like(/^\d{4}-\d{2}-\d{2}$/, 'a date in quotes, such as "2030-12-31"'),
  gecos: text,
  groups: names,
  homedir: text,
  inactive: text,
  lock_passwd: bool,
  'lock-passwd': deprecated('lock_passwd'),
  no_create_home: bool,
  'no-create-home': deprecated('no_create_home'),
  no_log_init: bool,
  'no-log-init': deprecated('no_log_init'),
  no_user_group: bool,
  'no-user-group': deprecated('no_user_group'),
  create_groups: bool,
  'create-groups': deprecated('create_groups'),
  passwd: text,
  hashed_passwd: text,
  'hashed-passwd': deprecated('hashed_passwd'),
  plain_text_passwd: text,
  'plain-text-passwd': deprecated('plain_text_passwd'),
  primary_group: text,
  'primary-group': deprecated('primary_group'),
  selinux_user: text,
  'selinux-user': deprecated('selinux_user'),
  shell: text,
  snapuser: text,
  ssh_authorized_keys: keys,
  'ssh-authorized-keys': deprecated('ssh_authorized_keys'),
  ssh_import_id: keys,
  'ssh-import-id': deprecated('ssh_import_id'),
  ssh_redirect_user: bool,
  'ssh-redirect-user': deprecated('ssh_redirect_user'),
  system: bool,
  sudo: either(text, list(text), no, nothing),
  uid: wholeNumber(),
};

const password = either(
  map({ name: text, type: oneOf('hash', 'text'), password: text }, ['name', 'password']),
  map({ name: text, type: oneOf('RANDOM') }, ['name', 'type']),
);

const members = either(text, list(text, { min: 1 }));

const HOST_KEY = /^(?:ecdsa|ed25519|rsa)_(?:public|private|certificate)$/;

/** Keys about users, groups, passwords and ssh. */
export const ACCOUNT_SHAPES: Readonly<Record<string, Shape>> = {
  users: either(
    text,
    list(either(text, list(text), map(user))),
    table(either(text, bool, map(user), list(text), nothing)),
  ),
  user: either(text, map(user, ['name'])),
  groups: either(text, table(members, /./, 'a group name'), list(either(text, table(members)), { min: 1 })),
  password: text,
  chpasswd: map({
    expire: bool,
    users: list(password),
    list: deprecated('chpasswd.users'),
  }),
  ssh_pwauth: either(bool, text),
  ssh_authorized_keys: list(text, { min: 1 }),
  ssh_import_id: list(text),
  ssh_keys: table(text, HOST_KEY, 'ed25519_private, rsa_public, ecdsa_certificate and so on'),
  ssh_deletekeys: bool,
  ssh_genkeytypes: list(oneOf('ecdsa', 'ed25519', 'rsa'), { min: 1 }),
  ssh_quiet_keygen: bool,
  ssh_publish_hostkeys: map({ enabled: bool, blacklist: list(text) }),
  ssh_fp_console_blacklist: list(text),
  ssh_key_console_blacklist: list(text),
  no_ssh_fingerprints: bool,
  allow_public_ssh_keys: bool,
  disable_root: bool,
  disable_root_opts: text,
  ssh: map({ emit_keys_to_console: bool }, ['emit_keys_to_console']),
};

const mirrors = list(
  map(
    {
      arches: list(text, { min: 1 }),
      uri: text,
      search: list(text, { min: 1 }),
      search_dns: bool,
      keyid: text,
      key: text,
      keyserver: text,
    },
    ['arches'],
  ),
  { min: 1 },
);
const source = map(
  { source: text, keyid: text, key: text, keyserver: text, filename: text, append: bool },
  [],
  1,
);

/** Which of the three says where it lies is for the author to choose. */
const yumRepository = (place: string): Shape =>
  open(
    { baseurl: text, metalink: text, mirrorlist: text, name: text, enabled: bool },
    either(text, bool, wholeNumber()),
    [place],
  );

/** Keys about packages and where they come from. */
export const PACKAGE_SHAPES: Readonly<Record<string, Shape>> = {
  apt: map(
    {
      preserve_sources_list: bool,
      disable_suites: list(text, { min: 1, unique: true }),
      primary: mirrors,
      security: mirrors,
      add_apt_repo_match: text,
      debconf_selections: table(text),
      sources_list: text,
      conf: text,
      https_proxy: text,
      http_proxy: text,
      proxy: text,
      ftp_proxy: text,
      sources: table(source),
    },
    [],
    1,
  ),
  yum_repo_dir: text,
  yum_repos: open({}, either(...['baseurl', 'metalink', 'mirrorlist'].map(yumRepository))),
  zypper: open(
    { repos: list(open({ id: text, baseurl: text }, anything, ['id', 'baseurl']), { min: 1 }) },
    anything,
  ),
  disable_ec2_metadata: bool,
};

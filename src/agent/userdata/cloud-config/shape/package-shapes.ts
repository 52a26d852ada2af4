import { bool, either, list, map, type Shape, table, text, whole } from '../../../text/shape/shape.ts';

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
  yum_repos: table(
    table(either(text, bool, whole(), list(text)), /^[0-9a-zA-Z_]+$/, 'letters, digits and _'),
    /./,
    'a name',
  ),
  disable_ec2_metadata: bool,
};

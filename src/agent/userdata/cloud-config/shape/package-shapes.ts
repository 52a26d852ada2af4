import {
  anything,
  bool,
  either,
  list,
  map,
  open,
  type Shape,
  table,
  text,
  wholeNumber,
} from '../../../text/shape/shape.ts';

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

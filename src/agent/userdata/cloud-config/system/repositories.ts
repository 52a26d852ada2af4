import { isAbsolute } from 'node:path/posix';
import { sensitive } from '../../../../secrets/sensitive.ts';
import type { RepositoryFile } from '../../../document/system-settings.ts';
import { type Diagnostics, printable } from '../../../text/diagnostics.ts';
import { Fields, mappings } from '../../../text/yaml/fields.ts';
import { type MappingNode, pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { readAptSources } from './apt.ts';
import { type FindKey, fieldsOf, type SystemReader } from './system-reader.ts';

/** `yum_repos`, `zypper.repos` and `apt.sources`: files that name repositories. One that is there stays, but for apt's. */
export const repositories: SystemReader<'repositories'> = {
  name: 'repositories',
  read(find, { report: diagnostics }) {
    const { files: ofApt, archives } = readAptSources(find, diagnostics);
    const files = [...yum(find, diagnostics), ...zypper(find, diagnostics), ...ofApt];
    if (files.length + archives.length === 0) return undefined;
    return { files, ...(archives.length === 0 ? {} : { archives }) };
  },
};

function yum(find: FindKey, diagnostics: Diagnostics): RepositoryFile[] {
  const place = find('yum_repo_dir');
  const directory = (place && pythonText(place)) ?? '/etc/yum.repos.d';
  const fields = fieldsOf(find, 'yum_repos', diagnostics);
  if (!isAbsolute(directory))
    diagnostics.error('UserDataInvalid', 'yum_repo_dir must be an absolute path.', place?.where);
  return (fields?.names() ?? []).flatMap((id) => {
    const node = fields?.node(id);
    if (node?.kind !== 'mapping') {
      fields?.wrong(id, 'every repository must be a mapping.');
      return [];
    }
    const settings = settingsOf(node);
    for (const { key } of node.entries) {
      const name = pythonText(key) ?? '';
      if (/^\w+$/.test(name)) continue;
      const read = settingName(name);
      const taken = read === '' ? 'it is skipped' : `it is read as ${printable(read)}`;
      const message = `yum_repos: "${printable(name)}" is not an option name; ${taken}.`;
      diagnostics.warn('UserDataInvalid', message, key.where);
    }
    if (!['baseurl', 'metalink', 'mirrorlist'].some((key) => settings.has(key))) {
      fields?.warn(id, 'a repository has no baseurl, metalink or mirrorlist; it is skipped.');
      return [];
    }
    return [
      file(directory, id.replaceAll(' ', '-'), id.replaceAll(' ', '-'), settings, ' = ', node, diagnostics),
    ].flat();
  });
}

function zypper(find: FindKey, diagnostics: Diagnostics): RepositoryFile[] {
  const fields = fieldsOf(find, 'zypper', diagnostics);
  const node = fields?.node('repos');
  fields?.finish({ config: 'is not supported; write /etc/zypp/zypp.conf with write_files' });
  return (node === undefined ? [] : mappings(node, 'zypper.repos', diagnostics)).flatMap((item) => {
    const settings = settingsOf(item);
    const id = settings.get('id');
    if (id === undefined || !settings.has('baseurl')) {
      new Fields(item, 'zypper.repos', diagnostics).warn(
        'id',
        'an item has no id or no baseurl; it is skipped.',
      );
      return [];
    }
    settings.delete('id');
    for (const key of ['enabled', 'autorefresh']) if (!settings.has(key)) settings.set(key, '1');
    return file('/etc/zypp/repos.d', id.replaceAll(' ', '_'), id, settings, ' = ', item, diagnostics);
  });
}

/** Keys in small letters with underscores; yes and no become 1 and 0, as these programs like them. */
function settingsOf({ entries }: MappingNode): Map<string, string> {
  return new Map(
    entries
      .map(({ key, value }) => [settingName(pythonText(key) ?? ''), valueText(value)] as const)
      .filter(([name]) => name !== ''),
  );
}

const settingName = (name: string): string => name.toLowerCase().trim().replaceAll('-', '_');

function valueText(node: YamlNode): string {
  if (node.kind === 'bool') return node.value ? '1' : '0';
  if (node.kind === 'sequence') return node.items.map(valueText).join('\n\t');
  // Further lines are indented, or they would be settings of their own.
  return (pythonText(node) ?? '').trim().replaceAll('\n', '\n\t');
}

function file(
  directory: string,
  name: string,
  section: string,
  settings: ReadonlyMap<string, string>,
  between: string,
  { where }: YamlNode,
  diagnostics: Diagnostics,
): RepositoryFile[] {
  if (
    !/^[\w.:+-]+$/.test(name) ||
    /[\]\n]/.test(section) ||
    [...settings.keys()].some((key) => !/^\w+$/.test(key))
  ) {
    diagnostics.error(
      'UserDataInvalid',
      'A repository has an id or a setting that a repository file cannot contain.',
      where,
    );
    return [];
  }
  const lines = [...settings].map(([key, value]) => `${key}${between}${value}`);
  const content = `# Made by Slipway from the user data of this machine\n[${section}]\n${lines.join('\n')}\n\n`;
  return [
    { path: `${directory.replace(/\/+$/, '')}/${name}.repo`, content: sensitive(content), keeps: true },
  ];
}

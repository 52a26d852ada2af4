import { sensitive } from '../../../../kit/secrets/sensitive.ts';
import type { RepositoryFile } from '../../../document/system-settings.ts';
import { printable, type Report } from '../../../text/report.ts';
import { Fields } from '../../../text/yaml/fields.ts';
import { type Find, fieldsOf } from './system-reader.ts';

const KEYRINGS = '/etc/apt/cloud-init.gpg.d';
const NOT_DONE = 'is not supported; write the file with write_files';
/** What only an image of Debian asks of cloud-init itself. */
const OF_CLOUD_INIT = 'has no effect: Slipway never writes the main list of sources anew';

/**
 * `apt`: `sources` with a key in the document, `conf`, `http_proxy` and the like. A source whose key lies on a key server, or
 * that is a PPA, is an error: without its key nothing of it could be installed.
 */
export function readAptSources(find: Find, report: Report): RepositoryFile[] {
  const fields = fieldsOf(find, 'apt', report);
  if (fields === undefined) return [];
  const found: RepositoryFile[] = [];
  const conf = fields.text('conf');
  if (conf !== undefined) found.push(made('/etc/apt/apt.conf.d/94cloud-init-config', ended(conf)));
  const proxies = proxyLines(fields);
  if (proxies !== '') found.push(made('/etc/apt/apt.conf.d/90cloud-init-aptproxy', proxies));
  const sources = fields.node('sources');
  if (sources?.kind === 'mapping') {
    const all = new Fields(sources, 'apt.sources', report);
    for (const name of all.names()) {
      const node = all.node(name);
      if (node?.kind === 'mapping') found.push(...source(name, new Fields(node, 'apt.sources', report)));
      else all.wrong(name, 'every source must be a mapping.');
    }
  } else if (sources !== undefined) fields.expected('sources', sources, 'a mapping');
  fields.finish({
    preserve_sources_list: OF_CLOUD_INIT,
    primary: OF_CLOUD_INIT,
    security: OF_CLOUD_INIT,
    disable_suites: OF_CLOUD_INIT,
    sources_list: NOT_DONE,
    debconf_selections: `${NOT_DONE.split(';')[0]}; run debconf-set-selections in bootcmd`,
    add_apt_repo_match: OF_CLOUD_INIT,
  });
  return found;
}

function proxyLines(fields: Fields): string {
  const told = [
    ['proxy', 'http'],
    ['http_proxy', 'http'],
    ['https_proxy', 'https'],
    ['ftp_proxy', 'ftp'],
  ] as const;
  const lines = told.flatMap(([key, scheme]) => {
    const url = fields.text(key);
    if (url === undefined) return [];
    if (/["\n;]/.test(url)) fields.wrong(key, `${key} must be an address.`);
    return [`Acquire::${scheme}::Proxy "${url}";\n`];
  });
  return lines.join('');
}

function source(name: string, fields: Fields): RepositoryFile[] {
  const [line, key, file] = [fields.text('source'), fields.text('key'), fields.text('filename') ?? name];
  // A line that is there already is not written twice, whatever `append` says.
  fields.bool('append', true);
  const [keyId] = [fields.looseText('keyid'), fields.looseText('keyserver')];
  fields.finish();
  if (line === undefined && key === undefined && keyId === undefined)
    fields.warn('source', `${printable(name)} names neither a source nor a key; nothing comes of it.`);
  const base = file.replace(/\.list$/, '');
  if (!/^[\w.:+-]+$/.test(base)) {
    fields.wrong('filename', `${printable(file)} is no name of a file below /etc/apt/sources.list.d.`);
    return [];
  }
  if (keyId !== undefined && key === undefined) {
    fields.wrong('keyid', 'Slipway asks no key server; give the key itself behind key.');
    return [];
  }
  if (line?.startsWith('ppa:') || line?.startsWith('cloud-archive:')) {
    fields.wrong(
      'source',
      'Slipway does not know the addresses of a PPA; give a whole line of sources.list.',
    );
    return [];
  }
  if (line !== undefined && /\$(?!RELEASE\b|MIRROR\b|KEY_FILE\b|SECURITY\b|PRIMARY\b)/.test(line))
    fields.warn('source', 'only $RELEASE and $KEY_FILE are filled in.');
  const ring = `${KEYRINGS}/${base}.asc`;
  const signed = line?.includes('$KEY_FILE') ?? false;
  const keyPath = signed ? ring : `/etc/apt/trusted.gpg.d/${base}.asc`;
  return [
    ...(key === undefined ? [] : [made(keyPath, ended(key))]),
    ...(line === undefined
      ? []
      : [made(`/etc/apt/sources.list.d/${base}.list`, ended(line.replaceAll('$KEY_FILE', ring)))]),
  ];
}

const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

const made = (path: string, content: string): RepositoryFile => ({
  path,
  content: sensitive(content),
  keeps: false,
});

import { sensitive } from '../../../../secrets/sensitive.ts';
import type { RepositorySettings } from '../../../document/system-settings.ts';
import { type Diagnostics, printable } from '../../../text/diagnostics.ts';
import { Fields } from '../../../text/yaml/fields.ts';
import { type FindKey, fieldsOf } from './system-reader.ts';

type RepositoryFile = RepositorySettings['files'][number];

const KEYRINGS = '/etc/apt/cloud-init.gpg.d';
/** gpg's and cloud-init's. */
const KEY_SERVER = 'keyserver.ubuntu.com';
const NOT_DONE = 'is not supported; write the file with write_files';
/** What only an image of Debian asks of cloud-init itself. */
const OF_CLOUD_INIT = 'has no effect: Slipway never rewrites the main sources list';

/**
 * `apt`: `sources` with a key in the document or on a key server, PPAs, `conf`, `http_proxy` and the like.
 */
export function readAptSources(find: FindKey, diagnostics: Diagnostics): Required<RepositorySettings> {
  const fields = fieldsOf(find, 'apt', diagnostics);
  const found: Required<RepositorySettings> = { files: [], archives: [] };
  if (fields === undefined) return found;
  const { files } = found;
  const conf = fields.text('conf');
  if (conf !== undefined) files.push(made('/etc/apt/apt.conf.d/94cloud-init-config', ended(conf)));
  const proxies = proxyLines(fields);
  if (proxies !== '') files.push(made('/etc/apt/apt.conf.d/90cloud-init-aptproxy', proxies));
  const sources = fields.node('sources');
  if (sources?.kind === 'mapping') {
    const all = new Fields(sources, 'apt.sources', diagnostics);
    for (const name of all.names()) {
      const node = all.node(name);
      if (node?.kind === 'mapping') readSource(name, new Fields(node, 'apt.sources', diagnostics), found);
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
    if (/["\n;]/.test(url)) fields.wrong(key, `${key} must be a URL.`);
    return [`Acquire::${scheme}::Proxy "${url}";\n`];
  });
  return lines.join('');
}

function readSource(name: string, fields: Fields, { files, archives }: Required<RepositorySettings>): void {
  const [line, key, file] = [fields.text('source'), fields.text('key'), fields.text('filename') ?? name];
  // A line that is there already is not written twice, whatever `append` says.
  fields.bool('append', true);
  const keyId = fields.looseText('keyid');
  const server = fields.looseText('keyserver') ?? KEY_SERVER;
  fields.finish();
  if (line === undefined && key === undefined && keyId === undefined)
    fields.warn('source', `${printable(name)} has neither a source nor a key, and so has no effect.`);
  const base = file.replace(/\.list$/, '');
  if (!/^[\w.:+-]+$/.test(base)) {
    fields.wrong('filename', `${printable(file)} is not a file name under /etc/apt/sources.list.d.`);
    return;
  }
  if (line !== undefined && /\$(?!RELEASE\b|MIRROR\b|KEY_FILE\b|SECURITY\b|PRIMARY\b)/.test(line))
    fields.warn('source', 'only $RELEASE and $KEY_FILE are replaced.');
  const ring = `${KEYRINGS}/${base}.asc`;
  const signed = line?.includes('$KEY_FILE') ?? false;
  const keyPath = signed ? ring : `/etc/apt/trusted.gpg.d/${base}.asc`;
  if (key !== undefined) files.push(made(keyPath, ended(key)));
  else if (keyId !== undefined) {
    const found = readKey(fields, keyId, server);
    if (found) files.push({ ...made(keyPath, ''), key: { ...found, where: fields.where } });
  }
  // What cloud-init takes for add-apt-repository's.
  if (line !== undefined && /^[\w-]+:\w/.test(line)) archives.push({ name: line, where: fields.where });
  else if (line !== undefined)
    files.push(made(`/etc/apt/sources.list.d/${base}.list`, ended(line.replaceAll('$KEY_FILE', ring))));
}

/** Where a key server has a key, and what of its fingerprint is known. */
function readKey(fields: Fields, keyId: string, server: string): { id: string; url: string } | undefined {
  const id = keyId.replace(/\s+/g, '').replace(/^0x/i, '').toUpperCase();
  if (!/^(?:[0-9A-F]{8}|[0-9A-F]{16}|[0-9A-F]{40})$/.test(id)) {
    fields.wrong('keyid', 'keyid must be a key fingerprint, or its last 8 or 16 digits.');
    return undefined;
  }
  if (id.length === 8)
    fields.warn('keyid', 'anyone can create a key with the same short id; use the full fingerprint.');
  const [, scheme, rest = ''] = /^(?:(\w+):\/\/)?(.*?)\/*$/s.exec(server.trim()) ?? [];
  const hasPort = /:\d+$/.test(rest);
  const base = {
    hkp: `http://${rest}${hasPort ? '' : ':11371'}`,
    hkps: `https://${rest}`,
    http: `http://${rest}`,
    https: `https://${rest}`,
    // As gpg takes it with a port; without one, over TLS.
    none: `${hasPort ? 'http' : 'https'}://${rest}`,
  }[scheme ?? 'none'];
  const url = `${base}/pks/lookup?op=get&options=mr&search=0x${id}`;
  if (base !== undefined && rest !== '' && !/[\s?#@]/.test(rest) && URL.canParse(url)) return { id, url };
  fields.wrong('keyserver', 'keyserver must be a host, or an hkp, hkps, http or https URL.');
  return undefined;
}

const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

const made = (path: string, content: string): RepositoryFile => ({
  path,
  content: sensitive(content),
  keeps: false,
});

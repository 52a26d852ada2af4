import { found, type SourceAnswer } from '../contract/answer.ts';
import { directoryTree, type Tree } from '../contract/tree.ts';
import type { SourceContext } from '../detection/source.ts';
import { readFirst, readLabelledVolume } from '../volumes/labelled-volume.ts';
import { scan } from '../volumes/scan.ts';

const SEED = '/var/lib/cloud/seed/opennebula';
const LABELS = ['CONTEXT', 'CDROM'];
/** Variables that may be the host name, in cloud-init's order. */
const HOSTNAMES = ['SET_HOSTNAME', 'HOSTNAME', 'PUBLIC_IP', 'IP_PUBLIC', 'ETH0_IP'];

/** OpenNebula (`DataSourceOpenNebula`): the variables of context.sh, which is read and not run. */
export async function readOpenNebula({ machine }: SourceContext): Promise<SourceAnswer> {
  const seed = await variables(directoryTree(machine.host.files, SEED));
  if (seed !== undefined) return answer(seed, SEED);
  const discs = (await scan(machine)).filter(({ type }) => type === 'iso9660');
  const disc =
    (await readLabelledVolume(machine, LABELS, variables)) ?? (await readFirst(machine, discs, variables));
  if (disc !== undefined) return answer(disc.found, disc.device);
  return { kind: 'not-mine', looked: ['opennebula: no disc with a context.sh'] };
}

async function variables(tree: Tree): Promise<Map<string, string> | undefined> {
  const bytes = await tree.read('context.sh');
  return bytes && parseContext(bytes.toString('utf8'));
}

/**
 * Assignments as OpenNebula writes them: NAME='value' or NAME="value", over several lines too, with a quote inside as '\'' . What a shell
 * would have to work out is left out.
 */
export function parseContext(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const assignment =
    /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)=((?:'[^']*'|\\.|"(?:[^"\\]|\\[\s\S])*"|[^\s'"\\;#])*)[ \t]*;?[ \t]*$/gm;
  for (const [, name = '', word = ''] of text.matchAll(assignment)) {
    const value = unquoted(word);
    if (value !== undefined) found.set(name, value);
  }
  return found;
}

/** A word without its quotes; undefined where the shell would put something else in. */
function unquoted(word: string): string | undefined {
  let value = '';
  for (const [, single, double, escaped, plain] of word.matchAll(
    /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\(.)|([^'"\\]+)/g,
  )) {
    if (/[$`]/.test(plain ?? '') || /(?:^|[^\\])[$`]/.test(double ?? '')) return undefined;
    value += single ?? double?.replace(/\\([$`"\\])/g, '$1') ?? escaped ?? plain ?? '';
  }
  return value;
}

function answer(context: Map<string, string>, place: string): SourceAnswer {
  const get = (name: string) => context.get(name) || undefined;
  const userData = get('USER_DATA') ?? get('USERDATA') ?? '';
  const encoding = get('USERDATA_ENCODING') ?? get('USER_DATA_ENCODING');
  const hostname = HOSTNAMES.map(get).find((each) => each !== undefined);
  const keys = (get('SSH_KEY') ?? get('SSH_PUBLIC_KEY') ?? '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isDisc = place.startsWith('/dev/');
  return found({
    source: `opennebula (${place})`,
    ...(place === SEED ? {} : { fromVolume: true }),
    userData: Buffer.from(userData, encoding === 'base64' ? 'base64' : 'utf8'),
    metaData: {
      'instance-id': get('VMID') ?? 'iid-dsopennebula',
      ...Object.fromEntries([...context].filter(([name]) => !/USER_?DATA|PASSWORD/.test(name))),
      ...(hostname === undefined ? {} : { 'local-hostname': hostname }),
      ...(keys.length === 0 ? {} : { 'public-keys': keys }),
    },
    cloud: {
      ...{
        name: 'opennebula',
        platform: 'opennebula',
        subplatform: `${isDisc ? 'config-disk' : 'seed-dir'} (${place})`,
      },
      addresses: get('ETH0_IP') ? [get('ETH0_IP') ?? ''] : [],
      publicKeys: keys,
    },
  });
}

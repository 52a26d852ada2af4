import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { HostError } from '../../../../src/agent/host/host.ts';
import { parseXml, XmlError } from '../../../../src/agent/platform/metadata/xml.ts';
import { parsePool } from '../../../../src/agent/userdata/sources/channels/hyperv-kvp.ts';
import { parseContext } from '../../../../src/agent/userdata/sources/channels/opennebula.ts';
import { openVolume } from '../../../../src/agent/userdata/sources/images/open-volume.ts';
import type { Entry } from '../../../../src/agent/userdata/sources/images/volume.ts';
import { testTexts, texts } from '../../corpus.ts';
import type { Target } from '../../target.ts';

const FIXTURES = join(import.meta.dirname, '../../../../src/agent/userdata/sources/images/fixtures');
/** What holds the file system itself, at the beginning of an image; UDF's anchor lies at 512 KiB. */
const PARTS: Readonly<Record<string, number>> = {
  ...{ 'rock.iso': 96_000, 'joliet.iso': 96_000, 'plain.iso': 96_000, 'fat12.img': 48_000 },
  'azure.iso': 600_000,
};

function images(): Buffer[] {
  return Object.entries(PARTS).map(([name, bytes]) =>
    gunzipSync(readFileSync(join(FIXTURES, `${name}.gz`))).subarray(0, bytes),
  );
}

/** Volumes that a stranger or a broken disk may have made. */
export const volumes: Target = {
  name: 'volumes',
  dictionary: [
    'CD001',
    'NM',
    'CE',
    'SP',
    'RR',
    '\x02\x00',
    '\xff\xff\xff\xff',
    'CIDATA     ',
    'BEA01',
    'NSR02',
  ],
  corpus: images,
  refuses: (error) => error instanceof HostError,
  async run(bytes) {
    const volume = await openVolume(async (offset, length) => bytes.subarray(offset, offset + length));
    return volume && [volume.type, volume.labels, await walked(volume.root, 3)];
  },
};

/** Names and sizes; what refuses to be read is named. */
async function walked(entry: Entry, depth: number): Promise<unknown> {
  try {
    if (entry.content) return (await entry.content()).length;
    const children = [...((await entry.children?.()) ?? [])].slice(0, 20);
    const rows = depth > 0 ? children : [];
    const found: unknown[] = [];
    for (const [name, child] of rows) found.push([name, await walked(child, depth - 1)]);
    return found;
  } catch (error) {
    if (error instanceof HostError) return error.errno;
    throw error;
  }
}

/** Small documents that clouds and hypervisors hand over. */
export const cloudDocuments: Target = {
  name: 'cloud-documents',
  dictionary: [
    '<?xml',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '&#x41;',
    "='",
    "'\\''",
    '="',
    'USER_DATA',
    'ignition.config.0',
  ],
  corpus: () =>
    texts(
      '<?xml version="1.0"?><a:b xmlns:a="u" a:k="1 &lt; 2"><c><![CDATA[<x>]]>&#65;</c><!-- c --></a:b>',
      "A='it'\\''s'\nB=\"a \\\"b\\\"\"\nexport C=plain\nD='two\nlines'\n",
      `${'ignition.config.0'.padEnd(512, '\0')}${'{}'.padEnd(2048, '\0')}`,
      ...testTexts('src/agent/userdata/sources/channels'),
    ),
  refuses: (error) => error instanceof XmlError,
  run(bytes) {
    const text = bytes.toString('utf8');
    const pairs = [parsePool(bytes), [...parseContext(text)]];
    return [pairs, parseXml(text).name];
  },
};

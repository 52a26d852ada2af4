import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { renderNetplan } from '../../../src/agent/network/render/netplan.ts';
import { renderNetworkManager } from '../../../src/agent/network/render/network-manager.ts';
import { renderNetworkd } from '../../../src/agent/network/render/networkd.ts';
import { readNetwork } from '../../../src/agent/userdata/network/read-network.ts';
import { cloudInitRoot, withScratchRoot } from '../../lab/lab.ts';
import { unpackedPackage } from '../../lab/root/unpacked-package.ts';
import { Choices } from '../ignition/random.ts';
import { generatedNetwork } from './generated.ts';
import { type Files, type Meaning, meaningOf, RENDERERS, type Renderer } from './meaning.ts';
import { schemas } from './schema.ts';

export const about =
  'network configurations come out as with cloud-init 26.2, and a machine without DHCP gets online';

const FEWEST = 50;
/** Beside those that somebody wrote: so many of each of the three forms, by numbers from SLIPWAY_SEED on. */
const GENERATED = 300;
const FIRST = Number(process.env.SLIPWAY_SEED ?? 0);
const RENDER = { networkd: renderNetworkd, netplan: renderNetplan, 'network-manager': renderNetworkManager };
/** This machine's cards, as cloud-init is told of them. */
const CARDS = new Map([
  ['52:54:00:00:00:01', 'eth0'],
  ['52:54:00:00:00:02', 'eth1'],
]);

interface Example {
  about: string;
  config?: unknown;
  'network-data'?: unknown;
  /** For which renderers cloud-init's own output is another, and why. */
  differs?: Partial<Record<Renderer, string>>;
  /** Those for which it may be. */
  loses?: Renderer[];
}

type Answer = Record<Renderer, { files?: Files; error?: string }>;

/** Renders every document by both, and compares what the files say. */
export async function run(say: (line: string) => void): Promise<void> {
  const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
  const written = load(read('documents.yaml')) as Example[];
  assert.ok(written.length >= FEWEST, `only ${written.length} documents`);
  const made = Array.from({ length: GENERATED }, (_, index) =>
    generatedNetwork(new Choices(FIRST + index), index),
  );
  const examples: Example[] = [...written, ...made];
  const lower = [await unpackedPackage('cloud-init', say, 'forky'), ...(await cloudInitRoot(say))];
  await schemas(lower, say);
  const answers = await byCloudInit(lower, examples, read('oracle.py'));
  const told: string[] = [];
  const counts = { same: 0, better: 0 };
  examples.forEach((example, index) => {
    for (const renderer of RENDERERS) {
      const theirs = answers[index]?.[renderer];
      const expected = theirs?.files && meaningOf(renderer, theirs.files);
      const difference = expected
        ? between(expected, meaningOf(renderer, bySlipway(example, renderer)))
        : [theirs?.error];
      const reason = example.differs?.[renderer];
      if (difference.length === 0) counts.same += 1;
      else counts.better += 1;
      if (difference.length > 0 && reason === undefined && !example.loses?.includes(renderer))
        told.push(`--- ${example.about}: ${renderer}\n${textOf(example).text}\n${difference.join('\n')}`);
      if (difference.length === 0 && reason !== undefined)
        told.push(`--- ${example.about}: ${renderer} is the same now, though it says "${reason}"`);
    }
  });
  assert.equal(told.length, 0, told.join('\n'));
  say(
    `${examples.length} network configurations for ${RENDERERS.length} programs: ${counts.same} say the same as cloud-init 26.2's, ${counts.better} differ for the reasons given`,
  );
}

function textOf({ config, 'network-data': data }: Example): { kind: string; text: string } {
  return config === undefined
    ? { kind: 'network_data.json', text: JSON.stringify(data) }
    : { kind: 'yaml', text: JSON.stringify(config) };
}

function bySlipway(example: Example, renderer: Renderer): Files {
  const { kind, text } = textOf(example);
  const format = kind === 'yaml' ? 'cloud-init' : 'openstack';
  const { settings, report } = readNetwork({ format, text, place: example.about }, CARDS);
  assert.ok(settings, `${example.about}: ${JSON.stringify(report)}`);
  return Object.fromEntries(RENDER[renderer](settings).map(({ path, content }) => [path, content]));
}

async function byCloudInit(
  lower: string[],
  examples: readonly Example[],
  program: string,
): Promise<Answer[]> {
  return withScratchRoot(lower, async (root) => {
    const done = await root.run('printf %s "$PROGRAM" >/opt/oracle.py; exec python3 /opt/oracle.py', {
      input: JSON.stringify(examples.map(textOf)),
      env: { PROGRAM: program },
      timeoutMs: 600_000,
    });
    assert.equal(done.code, 0, done.stderr);
    return JSON.parse(done.stdout) as Answer[];
  });
}

function between(expected: Meaning, found: Meaning): string[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort().flatMap((name) => {
    const [theirs = [], ours = []] = [expected[name], found[name]];
    const lacks = theirs.filter((line) => !ours.includes(line)).map((line) => `  - ${line}`);
    const more = ours.filter((line) => !theirs.includes(line)).map((line) => `  + ${line}`);
    return lacks.length + more.length === 0 ? [] : [name, ...lacks, ...more];
  });
}

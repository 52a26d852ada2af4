import type { Host } from '../../../../src/agent/host/host.ts';
import { loadDocument } from '../../../../src/agent/userdata/load.ts';
import { memoryHost } from '../../memory-host.ts';
import { must, type Target } from '../../target.ts';
import { MACHINES } from './machine-examples.ts';

/** Each begins a part of the input: a file of the machine, or what a service answers where its URL has these words. */
const PART = /^%% (.*)$/m;
const METADATA_PATIENCE_MS = 20_000;

/**
 * Machines of every cloud: what they show of themselves, and what their metadata services answer. The first line may name the
 * source.
 */
export const machines: Target = {
  name: 'machines',
  dictionary: [
    ...[
      '%% /',
      '\n%% 169.254.169.254/',
      'instance-id',
      'local-hostname',
      'public-keys',
      'user-data',
      'user_data',
    ],
    ...[
      '"id":',
      '"uuid":',
      '"metadata":',
      '"compute":',
      '"attributes":',
      'base64',
      '0=key/',
      '../',
      '\u0000',
    ],
    ...['datasource_list: [', 'datasource:', 'metadata_urls:', 'strict_id: false', 'ds=nocloud;s=http://h/'],
  ],
  corpus: () => MACHINES.map((text) => Buffer.from(text)),
  async run(bytes) {
    const [first = '', ...parts] = bytes.toString('latin1').split(PART);
    const given = new Map<string, string>();
    for (let index = 0; index + 1 < parts.length; index += 2)
      given.set(parts[index] ?? '', (parts[index + 1] ?? '').replace(/^\n|\n$/g, ''));
    const host = hostOf(given);
    const source = first.trim();
    const loaded = await loadDocument(host, source === '' ? {} : { source });
    must(host.changed.length === 0, 'looking for user data changes nothing');
    if (loaded.kind === 'none') return [loaded.permanent, loaded.failure.code];
    const { instance, report } = loaded.document;
    for (const { message } of report)
      must(!/[\p{Cc}\u2028-\u202e]/u.test(message), 'a remark is one printable line');
    return [instance, report.length, loaded.callbacks.map(({ title }) => title)];
  },
};

function hostOf(given: ReadonlyMap<string, string>): ReturnType<typeof memoryHost> {
  const files = [...given].filter(([path]) => /^\/[^\0]*[^/\0]$/.test(path));
  const contents = Object.fromEntries(files.map(([path, text]) => [path, Buffer.from(text, 'latin1')]));
  const words = [...given.keys()]
    .filter((name) => name !== '')
    .sort((one, other) => other.length - one.length);
  const host = memoryHost(contents, (url) => {
    const found = words.find((each) => url.includes(each));
    const headers = { 'metadata-flavor': 'Google', date: 'Sat, 01 Jan 2028 00:00:00 GMT' };
    return found === undefined
      ? { status: 404, body: '', headers }
      : { status: 200, body: given.get(found) ?? '', headers };
  });
  let now = 0;
  const clock: Host['clock'] = {
    now: () => new Date(1_767_323_045_678 + now),
    monotonic: () => now,
    async sleep(ms) {
      now += Math.max(1, ms);
      must(now < 100 * METADATA_PATIENCE_MS, 'nobody is asked for ever');
    },
  };
  return {
    ...host,
    clock,
    blockDevices: { ...host.blockDevices, find: async () => undefined },
    processes: {
      ...host.processes,
      which: async (name) => (given.has(name) ? `/usr/bin/${name}` : undefined),
      async run({ argv }) {
        const key = argv.at(-1)?.replace('info-get ', '') ?? '';
        const stdout = given.get(key);
        return {
          exitStatus: stdout === undefined ? 1 : 0,
          stdout: stdout ?? '',
          stderr: 'No value found',
          timedOut: false,
          ms: 0,
        };
      },
    },
  };
}

import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import type { Instance } from '../../platform/instance/instance.ts';
import { readUserData } from '../read-user-data.ts';
import { IncludeUnavailable } from './fetch-include.ts';

let root: string;
let server: Server;
let url: string;
let asked: string[];
const pages = new Map<string, string | Buffer | number>();

beforeEach(async () => {
  root = scratch();
  asked = [];
  pages.clear();
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const page = pages.get(request.url ?? '') ?? 404;
    if (typeof page === 'number') response.writeHead(page).end();
    else response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function read(text: string | Buffer, more: Partial<Instance> = {}, keeps = false) {
  const instance: Instance = { metaData: { 'instance-id': 'i-1' }, source: 'test', ...more };
  const library = { host: createLinuxHost({ root }), instance: 'i-1', keeps };
  const document = await readUserData(Buffer.from(text), instance, { library });
  const run = (commands: typeof document.commands) =>
    commands.map((entry) => (entry.kind === 'command' ? entry.shell.reveal() : entry.verb));
  return {
    run: run(document.commands),
    boot: run(document.bootScripts ?? []),
    hooks: run(document.bootCommands),
    name: document.hostname?.name,
    files: document.files.map(({ path }) => path),
    report: document.report.map(
      ({ severity, message, where }) =>
        `${severity}${where?.within ? ` ${where.within}` : ''} ${where?.line}: ${message}`,
    ),
  };
}

describe('#include', () => {
  it('of a server that never comes to an end ends with the deadline, and says so', async () => {
    const slow = createServer((_, response) => void response.write('#'));
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const { port } = slow.address() as AddressInfo;
    const deadline = new AbortController();
    slow.on('request', () => deadline.abort());
    const library = {
      host: createLinuxHost({ root }),
      instance: 'i-1',
      keeps: false,
      signal: () => deadline.signal,
    };
    const text = Buffer.from(`#include http://127.0.0.1:${port}/drip`);
    await expect(readUserData(text, { metaData: {}, source: 'test' }, { library })).rejects.toThrow(
      /not all includes of .*drip were fetched before the deadline/,
    );
    slow.closeAllConnections();
    await new Promise((resolve) => slow.close(resolve));
  });

  it('takes files and addresses, compressed and with others in them, in their order', async () => {
    writeFileSync(join(root, 'more.txt'), '#cloud-config\nruncmd: [a]\n');
    pages.set('/b', gzipSync(`#include ${url}/c`));
    pages.set('/c', '#cloud-config\nmerge_how: list(append)+dict(recurse_list)\nruncmd: [c]\n');
    const told = await read(`#include\n# a comment\nfile:///more.txt\n\n  ${url}/b  \n`);
    expect(told).toMatchObject({ run: ['a', 'c'], report: [] });
  });

  it('keeps what it is to fetch once, but for a plan', async () => {
    pages.set('/one', '#cloud-config\nruncmd: [one]\n');
    await read(`#include-once\n${url}/one\n`);
    await read(`#include-once\n${url}/one\n`, {}, true);
    pages.delete('/one');
    expect(await read(`#include-once ${url}/one\n`)).toMatchObject({ run: ['one'], report: [] });
    expect(asked).toEqual(['/one', '/one']);
    expect(readdirSync(join(root, 'var/lib/slipway/includes'))).toHaveLength(1);
    expect((await read(`#include-once\n#include ${url}/one\n`)).report).toEqual([
      expect.stringMatching(/^error 2: Cannot include http:.*\/one: it was refused: .*404$|404\.$/),
    ]);
  });

  it('takes nothing but what its digest says, from a server, a file, or what it has kept', async () => {
    const text = gzipSync('#cloud-config\nruncmd: [pinned]\n');
    const sum = (name: string) => `${name}-${createHash(name).update(text).digest('hex')}`;
    pages.set('/pinned', text);
    writeFileSync(join(root, 'pinned'), text);
    const wrong = `sha256-${'0'.repeat(64)}`;
    for (const address of [`${url}/pinned`, 'file:///pinned']) {
      for (const name of ['sha256', 'sha512'])
        expect(await read(`#include ${address}#${sum(name)}\n`)).toMatchObject({
          run: ['pinned'],
          report: [],
        });
      expect((await read(`#include\n${address}#${wrong}\n`)).report).toEqual([
        expect.stringMatching(/^error 2: Cannot include .*\/pinned: it does not match its digest\.$/),
      ]);
      for (const form of ['sha256-AB', `sha-256-${'0'.repeat(64)}`])
        expect((await read(`#include ${address}#${form}\n`)).report.join()).toContain(
          'neither sha256-SUM nor',
        );
    }
    pages.set('/pinned', Buffer.from('somebody else'));
    const once = `#include-once ${url}/pinned#${sum('sha256')}\n`;
    expect((await read(once, {}, true)).report.join()).toContain('does not match its digest');
    pages.set('/pinned', text);
    expect(await read(once, {}, true)).toMatchObject({ run: ['pinned'], report: [] });
    const [kept = ''] = readdirSync(join(root, 'var/lib/slipway/includes'));
    writeFileSync(join(root, 'var/lib/slipway/includes', kept), 'changed');
    expect((await read(once)).report.join()).toContain('does not match its digest');
    expect(asked.every((path) => path === '/pinned')).toBe(true);
  });

  it('is told of to authors where it has no digest', async () => {
    const library = { host: createLinuxHost({ root }), instance: '', keeps: false, isOffline: true } as const;
    const told = async (address: string) => {
      const text = Buffer.from(`#include ${address}\n`);
      const { report } = await readUserData(text, { metaData: {}, source: 'file' }, { library });
      return report.map(({ message }) => message).join();
    };
    expect(await told('https://h/a?k=v')).toContain('https://h/a is included without a digest');
    expect(await told(`https://h/a#sha256-${'0'.repeat(64)}`)).not.toContain('without a digest');
    expect(await told('https://h/a#sha256-AB')).toContain('neither sha256-SUM nor');
    expect(await told('file:///a')).not.toContain('without a digest');
  });

  it('tells of all that is wrong, and asks nobody behind what is', async () => {
    pages.set('/a', '#cloud-config\nhostname: a\n');
    expect((await read(`#include\n${url}/a\nfile:///none\nnonsense\n`)).report).toEqual([
      expect.stringContaining('error 3: Cannot include /none: it'),
      expect.stringContaining('error 4: Cannot include an address: it is not a URL'),
    ]);
    expect(asked).toEqual([]);
    const library = { host: createLinuxHost({ root }), instance: '', keeps: false, isOffline: true } as const;
    const parts = ['#include\nfile:///none\nftp://h/a\n', '#cloud-config\nhostname: [x]\n'].map(
      (text) => `--B\nContent-Type: text/plain\n\n${text}`,
    );
    const mime = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n${parts.join('')}--B--\n`;
    const { report } = await readUserData(Buffer.from(mime), { metaData: {}, source: 'file' }, { library });
    expect(report.map(({ message }) => message)).toEqual([
      expect.stringContaining('Cannot include /none: it is not read'),
      expect.stringContaining('Cannot include ftp://h/a: it is neither a file nor http'),
      expect.stringContaining('hostname'),
    ]);
  });

  it.each([
    ['#include\nfile:///none\n', 'error 2: Cannot include /none: it names a file that does not exist.'],
    ['#include\ngopher://a/b\n', 'is neither a file nor http or https, but gopher:'],
    ['#include\nfile://other/b\n', 'names a file on another machine'],
    ['#include nonsense\n', 'is not a URL'],
    ['#include\n', 'warning 1: The include contains no URL.'],
  ])('says in its line what is wrong with %j', async (text, words) => {
    expect((await read(text)).report).toEqual([expect.stringContaining(words)]);
  });

  it('refuses what goes round in circles, and tells of no query', async () => {
    pages.set('/loop?key=hunter2', `#include ${url}/loop?key=hunter2\n`);
    const { report } = await read(`#include ${url}/loop?key=hunter2\n`);
    expect(report).toEqual([expect.stringMatching(/^error http\S*\/loop 1: .*\/loop includes itself\.$/)]);
  });

  it('is not yet there where a server may answer later', async () => {
    pages.set('/later', 503);
    await expect(read(`#include ${url}/later`)).rejects.toThrow(IncludeUnavailable);
  });

  it('is an error inside a template and an archive, where nobody would act upon it', async () => {
    const inside = await read('## template: jinja\n#include\nfile:///a\n');
    const archived = await read('#cloud-config-archive\n- "#include file:///a"\n');
    for (const { report } of [inside, archived])
      expect(report).toEqual([expect.stringMatching(/^error .*text\/x-include-url: it comes from/)]);
  });

  it('counts the errors of what is included in its own lines', async () => {
    writeFileSync(join(root, 'bad'), '#cloud-config\n\nruncmd: 5\n');
    expect((await read('#include file:///bad')).report).toEqual([expect.stringMatching(/^error \/bad 3: /)]);
  });
});

describe('#cloud-config-archive', () => {
  it('has texts of every kind', async () => {
    const told = await read(`#cloud-config-archive
- "#cloud-config\\nruncmd: [x]\\nhostname: one"
- type: text/cloud-config
  merge-type: list(append)+dict(recurse_list)
  content: "runcmd: [z]"
- {content: "#!/bin/sh\\nscript", filename: zz}
- {type: text/x-shellscript-per-boot, content: "#!/bin/sh\\neach boot"}
- {content: "hostname: other", launch-index: 3}
`);
    expect(told).toMatchObject({ name: 'other', boot: [expect.stringContaining('\neach boot\n')] });
    expect(told.run).toEqual(['x', 'z', expect.stringContaining('\nscript\n')]);
    expect((await read('#cloud-config-archive\n- {content: [1]}\n')).report).toEqual([
      expect.stringMatching(/^error 2: The content of entry 1 of the archive must be text/),
    ]);
  });

  it('is for the machine with its launch index', async () => {
    const text = '#cloud-config-archive\n- "hostname: a"\n- {content: "hostname: b", launch-index: 3}\n';
    const named = (index: number) => read(text, { metaData: { 'launch-index': index } });
    expect((await named(3)).name).toBe('b');
    expect(await named(2)).toMatchObject({
      name: 'a',
      report: [expect.stringContaining('launch index 3, and this one has 2')],
    });
  });
});

it('applies a JSON patch to the parts before it', async () => {
  const patched = (patch: string) =>
    read(
      `#cloud-config-archive\n- "runcmd: [a, b]\\nhostname: n"\n- ${JSON.stringify(`#cloud-config-jsonp ${patch}`)}\n`,
    );
  const patch =
    '[{"op":"add","path":"/runcmd/-","value":"c"},{"op":"remove","path":"/runcmd/0"},{"op":"move","from":"/hostname","path":"/fqdn"}]';
  expect(await patched(patch)).toMatchObject({ run: ['b', 'c'], name: 'n', report: [] });
  expect((await patched('[{"op":"remove","path":"/x"}]')).report).toEqual([
    expect.stringContaining('The cloud-config-jsonp names a path that does not exist.'),
  ]);
  expect((await patched('[{"op":"frobnicate","path":"/x"}]')).report).toEqual([
    expect.stringContaining('An operation needs op'),
  ]);
  expect((await patched('[')).report).toEqual([expect.stringContaining('is not JSON')]);
});

describe('vendor data', () => {
  const vendorData = Buffer.from(
    '#cloud-config\nruncmd: [theirs]\nhostname: theirs\nwrite_files: [{path: /v}]\n',
  );

  it('counts where the user data says nothing', async () => {
    expect(await read('#cloud-config\nruncmd: [mine]\n', { vendorData })).toMatchObject({
      run: ['mine'],
      name: 'theirs',
      files: ['/v'],
    });
  });

  it('is off where the user data says so', async () => {
    const told = await read('#cloud-config\nvendor_data: {enabled: false}\n', { vendorData });
    expect(told).toMatchObject({ name: undefined, files: [], report: [] });
  });

  it('has scripts that run before the others, behind a prefix', async () => {
    const script = Buffer.from('#!/bin/sh\ntheirs');
    const told = await read("#cloud-config\nvendor_data: {prefix: [nice, -n, '5']}\nruncmd: [mine]\n", {
      vendorData: script,
    });
    expect(told.run).toEqual([
      expect.stringContaining("&& 'nice' '-n' '5' '/var/lib/slipway/scripts/"),
      'mine',
    ]);
  });

  it('that cannot be read is a warning', async () => {
    expect(
      (await read('#cloud-config\nhostname: a\n', { vendorData: Buffer.from('{"a": 1}') })).report,
    ).toEqual([
      expect.stringMatching(/^warning .*The vendor data has an unknown first line.* It is ignored\.$/),
    ]);
  });
});

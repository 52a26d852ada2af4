import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { documentSecrets } from '../../../redaction/document-secrets.ts';
import { type IncludeSource, IncludeUnavailable } from '../../includes/fetch-include.ts';
import { readUserData } from '../../read-user-data.ts';

let library: IncludeSource;
beforeEach(() => {
  // What was had once is known to it.
  library = { host: createLinuxHost(), instance: 'i-1', keeps: false };
});
const read = (config: unknown) =>
  readUserData(Buffer.from(JSON.stringify(config)), { metaData: {}, source: 'test' }, { library });
const v3 = (rest: object, config?: object, version = '3.4.0') => ({
  ignition: { version, ...(config ? { config } : {}) },
  ...rest,
});
const data = (config: unknown) => ({ source: `data:,${encodeURIComponent(JSON.stringify(config))}` });
const text = (content: string) => ({ source: `data:,${content}` });
const file = (path: string, more: object) => v3({ storage: { files: [{ path, ...more }] } });

let server: Server | undefined;
afterEach(async () => {
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});
/** @param answer status and body by path and headers */
async function serve(
  answer: (path: string, key: string | undefined) => [number, Buffer | string],
): Promise<string> {
  server = createServer((request, response) => {
    const [status, body] = answer(request.url ?? '', request.headers['x-key'] as string | undefined);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('lays configs over each other: what comes later wins, and a path is one thing only', async () => {
  const child = v3({
    storage: {
      files: [
        { path: '/a', mode: 0o600 },
        { path: '/c', contents: text('c') },
      ],
      links: [{ path: '/b', target: '/a' }],
    },
    systemd: { units: [{ name: 'x.service', enabled: true }] },
    passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['two'] }] },
  });
  const document = await read(
    v3(
      {
        storage: {
          files: [
            { path: '/a', contents: text('a') },
            { path: '/b', contents: text('b') },
          ],
        },
        systemd: { units: [{ name: 'x.service', contents: '[Service]\nExecStart=/a\n' }] },
        passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['one'] }] },
      },
      { merge: [data(child), data(file('/c', { contents: text('last') }))] },
    ),
  );
  expect(document.report).toEqual([]);
  expect(document.files.map(({ path, mode, content }) => [path, mode, String(content.reveal())])).toEqual([
    ['/a', 0o600, 'a'],
    ['/c', 0o644, 'last'],
  ]);
  expect(document.links).toMatchObject([{ path: '/b', target: '/a' }]);
  expect(document.units).toMatchObject([{ name: 'x.service', enabled: true }]);
  expect(document.units?.[0]?.content?.reveal()).toContain('ExecStart=/a');
  expect(document.users[0]?.sshAuthorizedKeys).toEqual(['one', 'two']);
});

it('takes another config in the place of its own, and goes on from there', async () => {
  const last = file('/last', {});
  const next = v3({ storage: { files: [{ path: '/next' }] } }, { merge: [data(last)] });
  const document = await read(v3({ storage: { files: [{ path: '/own' }] } }, { replace: data(next) }));
  expect(document.report).toEqual([]);
  expect(document.files.map(({ path }) => path)).toEqual(['/next', '/last']);
});

describe('from a web server', () => {
  it('sends headers, unpacks, and compares hashes', async () => {
    const body = JSON.stringify(file('/fetched', {}));
    const origin = await serve((path, key) =>
      key === 'k' && path === '/x' ? [200, gzipSync(body)] : [404, ''],
    );
    const reference = {
      source: `${origin}/x`,
      httpHeaders: [{ name: 'X-Key', value: 'k' }],
      compression: 'gzip',
      verification: { hash: `sha256-${createHash('sha256').update(body).digest('hex')}` },
    };
    const good = await read(v3({}, { merge: [reference] }));
    expect([good.report, good.files.map(({ path }) => path)]).toEqual([[], ['/fetched']]);
    const wrong = { ...reference, verification: { hash: `sha256-${'0'.repeat(64)}` } };
    const bad = await read(v3({}, { merge: [wrong] }));
    expect(bad.report).toMatchObject([
      { severity: 'error', message: expect.stringMatching(/merge\.0\.source was refused:.*hash/) },
    ]);
    expect(bad.files).toEqual([]);
  });

  it('knows what it was asked with as secret, and needs it once for all readings', async () => {
    let asked = 0;
    const origin = await serve((_, key) => {
      asked += 1;
      return key === 'Zk3yValue99887766' ? [200, JSON.stringify(file('/fetched', {}))] : [403, ''];
    });
    const config = (value: string) =>
      v3(
        {},
        {
          merge: [{ source: `${origin}/x?token=t0kenOfTheAddress`, httpHeaders: [{ name: 'X-Key', value }] }],
        },
      );
    const document = await read(config('Zk3yValue99887766'));
    const secrets = documentSecrets(document);
    expect(secrets).toEqual(expect.arrayContaining(['Zk3yValue99887766', 't0kenOfTheAddress']));
    const black = Buffer.from(
      secrets.reduce(
        (text, secret) => text.replaceAll(secret, 'a'.repeat(secret.length)),
        JSON.stringify(config('Zk3yValue99887766')),
      ),
    );
    const again = await readUserData(black, { metaData: {}, source: 'test' }, { library });
    expect([again.report, again.files.map(({ path }) => path), asked]).toEqual([[], ['/fetched'], 1]);
    expect(JSON.stringify(again)).not.toContain('Zk3yValue99887766');
  });

  it('waits for a server that may answer later, and takes no for an answer', async () => {
    let status = 503;
    const origin = await serve(() => [status, '']);
    const config = v3({}, { replace: { source: `${origin}/x?token=hunter2` } });
    await expect(read(config)).rejects.toThrow(IncludeUnavailable);
    status = 403;
    const { report } = await read(config);
    expect(report).toMatchObject([{ severity: 'error', message: expect.stringContaining('was refused') }]);
    expect(JSON.stringify(report)).not.toContain('hunter2');
  });

  it('counts lines in the config that is wrong, and names it', async () => {
    const origin = await serve(() => [
      200,
      '{"ignition": {"version": "3.4.0"},\n"storage": {"files": [\n{"path": "a"}]}}',
    ]);
    const { report } = await read(v3({}, { merge: [{ source: `${origin}/x` }] }));
    expect(report).toEqual([
      {
        ...{
          severity: 'error',
          code: 'UserDataInvalid',
          where: { line: 3, column: 10, within: `${origin}/x` },
        },
        message: '$.storage.files.0.path must be an absolute path.',
      },
    ]);
  });
});

it.each<[string, (own: string) => object, RegExp]>([
  ['a circle', (own) => v3({}, { merge: [{ source: own }] }), /includes itself/],
  ['no end', (own) => v3({}, { replace: { source: `${own}x` } }), /the limit of/],
  ['spec 2', () => ({ ignition: { version: '2.3.0' } }), /spec 2/],
  ['no config', () => [], /must be the spec version|must be an object|not JSON/],
])('refuses %s', async (_name, next, words) => {
  let origin = '';
  origin = await serve((path) => [200, JSON.stringify(next(origin + path))]);
  const { report } = await read(v3({}, { merge: [{ source: `${origin}/x` }] }));
  expect(report).toMatchObject([{ severity: 'error', message: expect.stringMatching(words) }]);
});

it('asks nobody for authors, and tells what is wrong with each config that is there', async () => {
  const asked: string[] = [];
  const origin = await serve((path) => {
    asked.push(path);
    return [200, '{}'];
  });
  library = { ...library, isOffline: true };
  const merge = [{ source: `${origin}/x` }, data(file('a', {})), data(file('/b', { contents: text('b') }))];
  const { report } = await read(v3({}, { merge }));
  expect(report.map(({ message, where }) => [message, where?.within])).toEqual([
    [expect.stringContaining('merge.0.source is another config, which is not read'), undefined],
    ['$.storage.files.0.path must be an absolute path.', expect.stringContaining('merge.1')],
  ]);
  expect(asked).toEqual([]);
});

it('checks what came of two valid configs', async () => {
  const directory = v3({ storage: { links: [{ path: '/a', target: '/b' }] } });
  const { report } = await read(
    v3({ storage: { files: [{ path: '/a/in' }] } }, { merge: [data(directory)] }),
  );
  expect(report).toMatchObject([{ severity: 'error' }]);
});

describe('configs of spec 2', () => {
  const v2 = (rest: object, config?: object) => v3(rest, config, '2.3.0');
  const made = (path: string, content: string) => ({
    storage: { files: [{ filesystem: 'root', path, mode: 0o600, contents: text(content) }] },
  });

  it('appends configs one behind the other, also to what is appended; nothing is laid over anything', async () => {
    const inner = v2({ ...made('/c', 'c'), systemd: { units: [{ name: 'x.service', enabled: true }] } });
    const document = await read(
      v2(
        { ...made('/a', 'a'), systemd: { units: [{ name: 'x.service', contents: '[Unit]\nA=b\n' }] } },
        { append: [data(v2(made('/b', 'b'), { append: [data(inner)] })), data(v2(made('/a', 'again')))] },
      ),
    );
    expect(document.report).toEqual([]);
    expect(document.files.map(({ path, content }) => `${path} ${content.reveal()}`)).toEqual([
      ...['/a a', '/b b', '/c c', '/a again'],
    ]);
    expect(document.units?.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['x.service', undefined],
      ['x.service', true],
    ]);
  });

  it('appends none of another spec, and none that leads back', async () => {
    const { report } = await read(v2({}, { append: [data(v3({}))] }));
    expect(report).toMatchObject([
      { severity: 'error', message: expect.stringMatching(/append\.0\.source is a config of spec 3, which/) },
    ]);
    const url = await serve(() => [200, JSON.stringify(v2({}, { append: [{ source: `${url}/` }] }))]);
    const circle = await read(v2({}, { append: [{ source: `${url}/` }] }));
    expect(circle.report).toMatchObject([{ message: expect.stringContaining('includes itself') }]);
  });
});

import { execFileSync, spawn } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { createFiles } from './files.ts';

const files = createFiles('/');

describe('a place below a directory that others write to', () => {
  let top: string;
  let base: string;
  beforeEach(() => {
    top = scratch();
    base = join(top, 'pods');
    mkdirSync(join(base, 'pod/etcd'), { recursive: true });
    mkdirSync(join(top, 'victim'));
    writeFileSync(join(top, 'victim/0.log'), 'only for root');
    writeFileSync(join(base, 'pod/etcd/0.log'), 'a line\nand another\n');
  });
  const read = (...names: string[]) => files.readEndBelow({ base, names }, 1000);
  const list = (...names: string[]) => files.listBelow({ base, names }, 3);

  it('is read from its end and listed, each up to a bound', async () => {
    expect(String((await read('pod', 'etcd', '0.log'))?.bytes)).toBe('a line\nand another\n');
    const end = await files.readEndBelow({ base, names: ['pod', 'etcd', '0.log'] }, 8);
    expect([String(end?.bytes), end?.isWhole]).toEqual(['another\n', false]);
    for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(base, 'pod/etcd', name), '');
    expect(await list('pod', 'etcd')).toHaveLength(3);
    expect(await list()).toEqual(['pod']);
    expect([await read('pod', 'none', '0.log'), await list('none')]).toEqual([undefined, []]);
  });

  it('follows no link, wherever in the path it is', async () => {
    symlinkSync(join(top, 'victim/0.log'), join(base, 'pod/etcd/1.log'));
    symlinkSync(join(top, 'victim'), join(base, 'pod/linked'));
    symlinkSync('pod', join(base, 'relative'));
    for (const names of [
      ['pod', 'etcd', '1.log'],
      ['pod', 'linked', '0.log'],
      ['relative', 'etcd', '0.log'],
    ])
      await expect(read(...names), names.join('/')).rejects.toThrow(/is a symbolic link/);
    for (const names of [['pod', 'linked'], ['relative'], ['relative', 'etcd']])
      await expect(list(...names), names.join('/')).rejects.toThrow(/is a symbolic link/);
    for (const name of ['..', '.', '', '../victim', 'pod/etcd'])
      await expect(read(name, '0.log'), name).rejects.toThrow(/holds nothing of the name/);
  });

  it('reads no pipe, device, folder, or file with another name', async () => {
    execFileSync('mkfifo', [join(base, 'pod/etcd/pipe')]);
    linkSync(join(top, 'victim/0.log'), join(base, 'pod/etcd/hard'));
    for (const name of ['pipe', 'hard'])
      await expect(read('pod', 'etcd', name)).rejects.toThrow(/regular|other names/);
    await expect(read('pod', 'etcd')).rejects.toThrow(/not a regular file/);
    await expect(read('pod', 'etcd', '0.log', 'x')).rejects.toThrow(/not a directory/);
    const devices = { base: '/dev', names: ['null'] };
    await expect(files.readEndBelow(devices, 10)).rejects.toThrow(/not a regular file/);
  });

  it('leads nowhere else while folders and files are exchanged for links', async () => {
    const script = `cd "$1"
while :; do
  mv pod/etcd pod/kept; ln -s "$2" pod/etcd; rm pod/etcd; mv pod/kept pod/etcd
  ln -s "$2/0.log" pod/new; mv -T pod/new pod/etcd/0.log; rm pod/etcd/0.log; echo own > pod/etcd/0.log
done`;
    const swapper = spawn('bash', ['-c', script, 'bash', base, join(top, 'victim')], { stdio: 'ignore' });
    const told = new Set<string>();
    try {
      const until = performance.now() + 1_500;
      while (performance.now() < until) {
        for (let round = 0; round < 200; round += 1)
          told.add(
            await read('pod', 'etcd', '0.log').then(
              (end) => String(end?.bytes),
              () => 'refused',
            ),
          );
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      swapper.kill('SIGKILL');
    }
    expect([...told].filter((text) => text.includes('root'))).toEqual([]);
    // Both were there to be met.
    expect(told.has('own\n') && told.has('refused')).toBe(true);
  });
});

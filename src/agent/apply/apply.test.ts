import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { Failure } from '../../protocol/journal.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readUserData } from '../userdata/read-user-data.ts';
import { apply, splitForImage } from './apply.ts';

const read = (text: string) => readUserData(Buffer.from(text), { source: 'file', metaData: {} });
const HEAD = 'apiVersion: slipway.dev/v1alpha1\nkind: UserData\n';

describe('splitForImage', () => {
  it('keeps apart what an image can take', async () => {
    const document = await read(
      '#cloud-config\nbootcmd: [a]\nwrite_files: [{path: /a}, {path: /b, defer: true}]\nusers: [{name: u}]\nmounts: [[/dev/sdb, /m]]\nntp: {servers: [t.example]}\nruncmd: [kubeadm join --config /a]\n',
    );
    const { now, later } = splitForImage(document);
    expect(now.map(({ kind }) => kind)).toEqual(['files', 'users', 'files']);
    expect(later.map(({ title }) => title).join('\n')).toMatch(
      /bootcmd[\s\S]*mount[\s\S]*time[\s\S]*kubeadm join/,
    );
  });

  it('starts no unit: the boot does', async () => {
    const { now, later } = splitForImage(
      await read(`${HEAD}units: [{name: a.service, enabled: true, content: "[Unit]"}]\n`),
    );
    expect([now.map(({ kind }) => kind), later]).toEqual([['units'], []]);
  });
});

describe.runIf(process.getuid?.() === 0)('apply (needs root for owners)', () => {
  let top: string;
  let image: string;

  beforeEach(() => {
    top = scratch();
    image = join(top, 'image');
    mkdirSync(image);
    mkdirSync(join(top, 'outside'));
  });

  async function applied(text: string): Promise<{ failure: Failure | undefined; done: string[] }> {
    const document = await read(text);
    expect(document.report.filter(({ severity }) => severity === 'error')).toEqual([]);
    const done: string[] = [];
    const failure = await apply(createLinuxHost({ root: image }), document, splitForImage(document).now, {
      done: ({ id }) => {
        done.push(id);
      },
      finding: () => undefined,
    });
    return { failure, done };
  }

  it('writes files, links, directories and units, and the same again when it is run again', async () => {
    const text = `${HEAD}files: [{path: /opt/a, mode: "0600", content: one}, {path: /opt/b, content: two, append: true}]\ndirectories: [{path: /srv/d, mode: "0700"}]\nlinks: [{path: /srv/l, target: /opt/a}]\nunits: [{name: a.service, enabled: true, content: "[Unit]"}, {name: b.service, masked: true}]\n`;
    for (const _ of [1, 2]) {
      expect(await applied(text)).toEqual({ failure: undefined, done: ['files', 'tree', 'units'] });
      expect(readFileSync(join(image, 'opt/b'), 'utf8')).toBe('two');
      expect(lstatSync(join(image, 'opt/a')).mode & 0o777).toBe(0o600);
      expect(lstatSync(join(image, 'srv/d')).mode & 0o777).toBe(0o700);
      expect(lstatSync(join(image, 'srv/l')).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(image, 'etc/systemd/system-preset/20-ignition.preset'), 'utf8')).toBe(
        'enable a.service\n',
      );
    }
  });

  it('appends as on a machine: nothing to nothing, the same text twice, with the last mode; once, however often it runs', async () => {
    const text =
      '#cloud-config\nwrite_files:\n- {path: /none, append: true}\n- {path: /twice, content: a, permissions: "0600"}\n- {path: /twice, content: a, append: true}\n- {path: /grown, content: b, append: true, permissions: "0640"}\n';
    for (const _ of [1, 2]) {
      expect(await applied(text)).toEqual({ failure: undefined, done: ['files'] });
      const found = ['none', 'twice', 'grown'].map((name) => [
        readFileSync(join(image, name), 'utf8'),
        lstatSync(join(image, name)).mode & 0o777,
      ]);
      expect(found).toEqual([
        ['', 0o644],
        ['aa', 0o644],
        ['b', 0o640],
      ]);
    }
  });

  it('takes what an entry before it has written for the source of a file, as cloud-init does', async () => {
    const text =
      '#cloud-config\nwrite_files:\n- {path: /a, content: one}\n- {path: /a, content: two, append: true}\n- {path: /b, source: {uri: "file:///a"}}\n- {path: /c, source: {uri: "file:///b"}}\n';
    expect(await applied(text)).toEqual({ failure: undefined, done: ['files'] });
    expect(['a', 'b', 'c'].map((name) => readFileSync(join(image, name), 'utf8'))).toEqual([
      'onetwo',
      'onetwo',
      'onetwo',
    ]);
  });

  it('never leaves the directory, wherever its links lead', async () => {
    symlinkSync(join(top, 'outside'), join(image, 'absolute'));
    symlinkSync('../outside', join(image, 'relative'));
    symlinkSync('/etc', join(image, 'etc-link'));
    await applied(
      '#cloud-config\nwrite_files:\n- {path: /absolute/f, content: x}\n- {path: /relative/g, content: x}\n- {path: /../outside/h, content: x}\n- {path: /etc-link/slipway-apply-test, content: x}\n',
    );
    expect(readdirSync(join(top, 'outside'))).toEqual([]);
    expect(existsSync('/etc/slipway-apply-test')).toBe(false);
    expect(existsSync(join(image, 'etc/slipway-apply-test'))).toBe(true);
  });

  it.each(['', ', append: true'])('writes to no device that lies in the image%s', async (more) => {
    // That of /dev/null; it might be that of the builder's disk.
    execFileSync('mknod', [join(image, 'hosts'), 'c', '1', '3']);
    const text = `#cloud-config\nwrite_files: [{path: /hosts, content: x${more}}]\n`;
    await expect(applied(text)).rejects.toThrow(/\/hosts: is (?:a device|not a regular file)/);
    expect(lstatSync(join(image, 'hosts')).isCharacterDevice()).toBe(true);
  });

  it('says what failed and does nothing behind it', async () => {
    const { failure, done } = await applied(
      '#cloud-config\nusers: [{name: u}]\nwrite_files:\n- {path: /first, content: x}\n- {path: /later, content: x, owner: nobody-here, defer: true}\n',
    );
    expect(done).toEqual(['files']);
    expect(failure).toMatchObject({ code: 'ToolMissing' });
    expect(existsSync(join(image, 'later'))).toBe(false);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../host/host.ts';
import { type ImageScene, imageScene, readOnly } from './fixtures/image-scene.ts';
import { install } from './install.ts';
import { uninstall } from './uninstall.ts';

/** Gives files to root and enters roots, which only root may do. */
describe.runIf(process.getuid?.() === 0)('an image whose /usr is read-only', () => {
  let image: ImageScene;
  let self: string;
  let host: Host;

  beforeEach(() => {
    image = imageScene();
    ({ self, host } = image);
  });

  const setUp = (on = host) => install(on, { shim: true, units: [], version: '1.2.0', self });

  it('is told by what cannot be made, why, and what helps', async () => {
    await expect(setUp(readOnly(host, '/usr/'))).rejects.toThrow(
      /local\/bin\/slipway cannot be made: \/usr\/local\/bin is on a read-only file system: mount it for writing, .* do it while the image is built/,
    );
    await setUp();
    image.merge('other');
    await host.files.remove('/usr/local/bin/kubeadm');
    await expect(setUp(readOnly(host, '/usr/'))).rejects.toMatchObject({
      message: expect.stringMatching(
        /while a system extension is merged \(other\): call systemd-sysext unmerge, then this again, and systemd-sysext merge/,
      ),
      done: [expect.stringMatching(/slipway is this binary$/)],
    });
    self = image.mergeSlipway();
    await expect(setUp(readOnly(host, '/usr/'))).rejects.toThrow(
      /kubeadm cannot be made: .*\(other, slipway\).*by hand.*ln -s \.\.\/\.\.\/bin\/slipway \/usr\/local\/bin\/kubeadm\. Or link \/opt\/slipway\/bin\/kubeadm to \/usr\/bin\/slipway/,
    );
  });

  it('tells what cannot be taken back without a word of how it is put there', async () => {
    await setUp();
    await expect(uninstall(readOnly(host, '/usr/'), self, false)).rejects.toThrow(
      /^\S+\/kubeadm cannot be removed: .*read-only, take it out of the image\n\S+\/slipway cannot be removed: /,
    );
  });

  it('loses the rest when all is taken back, and how this goes is said', async () => {
    self = image.mergeSlipway();
    image.link('usr/local/bin/kubeadm', '../../bin/slipway');
    image.put('root/var/lib/extensions/slipway.raw', '');
    image.put('root/var/lib/slipway/journal.jsonl', '');
    await expect(uninstall(readOnly(host, '/usr/'), self, true)).rejects.toMatchObject({
      message: expect.stringMatching(/kubeadm cannot be removed: .*unmerge.*by hand.*merge at the end$/),
      done: [
        expect.stringMatching(/lib\/slipway removed$/),
        expect.stringMatching(
          /bin\/slipway stays: .*unmerge, rm -r \/var\/lib\/extensions\/slipway\.raw, and/,
        ),
      ],
    });
    // Merged where /usr/local can be written all the same.
    expect((await uninstall(host, self, true))[0]).toBe(`${image.at('usr/local/bin/kubeadm')} removed`);
  });
});

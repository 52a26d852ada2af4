import { withScratchRoot } from '../../lab/lab.ts';
import { buildImage, sshLayer } from './built.ts';
import { expectJoined } from './joined.ts';

export const about = 'an image built by real Packer and Ansible with the shipped files; its machines join';

export async function run(say: (line: string) => void): Promise<void> {
  await withScratchRoot([], async (image) => {
    await buildImage(image, say);
    const over = [image.changes, ...(await sshLayer(say))];
    await expectJoined({ w1: { over, mode: 'shim' }, w2: { over, mode: 'bootstrap' } }, say);
  });
}

import { failure } from '../../engine/failure.ts';
import { looksJoined } from '../../kubeadm/repeat/joined.ts';
import type { Work } from '../kind/step-kind.ts';

export interface LeftCallSpec {
  verb: 'init' | 'join';
}

/**
 * Where a command calls kubeadm itself, its status may be another's (`| tee`) or thrown away (`|| true`): whether there is a
 * node then, what kubeadm leaves on the disk says.
 */
export const seeNode: Work<LeftCallSpec> = ({ verb }) => ({
  async run({ host }) {
    // Below a root directory no kubelet runs, and nothing gets a certificate.
    if (host.root !== '/' || (await looksJoined(host, verb))) return { done: true };
    const cause = `The commands have had their run, and kubeadm ${verb}, which one of them calls, has made no node of this machine: its kubelet has no certificate.`;
    return { done: false, failure: failure('KubeadmNotTakenOver', cause), retry: 'no' };
  },
});

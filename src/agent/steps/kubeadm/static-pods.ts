import type { KubeadmCommand } from '../../document/document.ts';
import type { NamedText } from '../../document/node-settings.ts';
import { failed } from '../../engine/failure.ts';
import type { Work } from '../kind/step-kind.ts';

const MANIFESTS = '/etc/kubernetes/manifests';

export interface StaticPodsSpec {
  entries: NamedText[];
  command: KubeadmCommand;
  moment: 'before' | 'after';
}

/**
 * Writes static pods beside kubeadm's own. A control plane gets them before kubeadm runs, since kubeadm may
 * reach its endpoint through one of them (kube-vip, haproxy). A worker gets them afterwards: kubeadm refuses
 * to join a worker whose manifests directory is not empty.
 */
export const writeStaticPods: Work<StaticPodsSpec> = ({ entries, command, moment }, { call }) => ({
  async run({ host }) {
    if (moment === 'before' && command.verb === 'join') {
      const { config } = await call(command).read();
      // kubeadm's own step says what is wrong with the configuration, with line and column.
      if (config === undefined) return { done: true, message: 'after kubeadm' };
      if (!config.controlPlane) return { done: true, message: 'after kubeadm, for this is a worker' };
    }
    const missing: typeof entries = [];
    for (const entry of entries) {
      const present = await host.files.readIfPresent(`${MANIFESTS}/${entry.name}`);
      if (present?.toString('utf8') !== entry.content.reveal()) missing.push(entry);
    }
    if (missing.length === 0) return { done: true, message: 'there already' };
    const stat = await host.files.stat(MANIFESTS);
    if (stat !== undefined && stat.kind !== 'directory')
      return failed('FileNotWritten', `${MANIFESTS} is not a directory`);
    await host.files.mkdir(MANIFESTS, 0o700);
    await host.files.writeAll(
      missing.map(({ name, content }) => ({
        path: `${MANIFESTS}/${name}`,
        content: content.reveal(),
        options: { mode: 0o600 },
      })),
    );
    return { done: true, message: missing.map(({ name }) => name).join(', ') };
  },

  async holds(host) {
    for (const { name } of entries)
      if ((await host.files.stat(`${MANIFESTS}/${name}`)) === undefined) return false;
    return true;
  },
});

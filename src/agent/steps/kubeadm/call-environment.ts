/** The environment that kubeadm gets: what its line says, what commands before it have exported, the settings of the node. */
import type { KubeadmCommand } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { proxyEnvironment } from '../../kubeadm/run/real-kubeadm.ts';
import type { RunSpec } from '../../kubeadm/run/run-kubeadm.ts';
import { exported, held, inheriting } from '../shell/shell-state.ts';

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'];
/** sudo takes these from the agent's own environment as well. */
const HELD_BACK = [...PROXIES, ...PROXIES.map((name) => name.toLowerCase())];

function said({ environment }: KubeadmCommand): Record<string, string> {
  return Object.fromEntries(
    (environment?.reveal() ?? []).map((word) => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

/** @param shell Directory of the shell's state */
export async function callEnvironment(
  host: Host,
  command: KubeadmCommand,
  shell: string,
): Promise<Pick<RunSpec, 'env' | 'inherit'>> {
  const own = said(command);
  const exports = command.withoutExports !== true;
  const heldBack = exports ? {} : Object.fromEntries(HELD_BACK.map((name) => [name, undefined]));
  const settings = { ...heldBack, ...(await proxyEnvironment(host)) };
  if (host.platform === 'windows') return { env: { ...settings, ...own } };
  return {
    env: { ...settings, ...held(own) },
    inherit: (argv) => inheriting(shell, argv, { own, exports }),
  };
}

/** Value of a variable as kubeadm will see it. */
export async function callVariables(
  host: Host,
  command: KubeadmCommand,
  shell: string,
  names: readonly string[],
): Promise<(name: string) => string | undefined> {
  const own = said(command);
  const file = await proxyEnvironment(host);
  const isKept = command.withoutExports !== true;
  const values = await Promise.all(
    names.map(async (name) => {
      if (own[name] !== undefined) return own[name];
      const before = isKept ? (await exported(host, shell, name)).at(-1) : undefined;
      return before ?? file[name] ?? (isKept ? host.env(name) : undefined);
    }),
  );
  return (name) => values[names.indexOf(name)];
}

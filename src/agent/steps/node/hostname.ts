import type { Hostname } from '../../document/document.ts';
import type { Work } from '../kind/step-kind.ts';

/** Sets the static and the transient host name, like cloud-init's set_hostname with /etc/hostname. */
export const setHostname: Work<Hostname> = ({
  name: short,
  fqdn,
  prefersFqdn = false,
  keepsNoFile = false,
}) => ({
  repeatable: true,

  async run({ host }) {
    const name = prefersFqdn && fqdn !== undefined ? fqdn : short;
    const isThere = !keepsNoFile || (await host.files.stat('/etc/hostname')) !== undefined;
    if (isThere) await host.files.write('/etc/hostname', `${name}\n`);
    // Below a root directory there is no separate kernel to tell.
    if (host.root === '/' && host.hostname() !== name)
      await host.files.write('/proc/sys/kernel/hostname', name);
    return { done: true, message: name };
  },
});

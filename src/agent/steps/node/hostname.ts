import type { Hostname } from '../../document/document.ts';
import type { Work } from '../kind/step-kind.ts';

/** Sets the static and the transient host name, like cloud-init's set_hostname with /etc/hostname. */
export const setHostname: Work<Hostname> = ({ name }) => ({
  async run({ host }) {
    await host.files.write('/etc/hostname', `${name}\n`);
    // Below a root directory there is no separate kernel to tell.
    if (host.root === '/' && host.hostname() !== name)
      await host.files.write('/proc/sys/kernel/hostname', name);
    return { done: true, message: name };
  },
});

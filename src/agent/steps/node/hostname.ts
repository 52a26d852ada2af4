import type { Runner } from '../shell/runner.ts';

/** Sets the static and the transient host name, as cloud-init's set_hostname does on distributions with /etc/hostname. */
export const hostname: Runner<'hostname'> = {
  async run({ name }, { host }) {
    await host.files.write('/etc/hostname', `${name}\n`);
    // Below a root directory there is no kernel of its own to tell.
    if (host.root === '/' && host.hostname() !== name)
      await host.files.write('/proc/sys/kernel/hostname', name);
    return { done: true, message: name };
  },
};

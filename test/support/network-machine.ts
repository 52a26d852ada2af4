import type { NetworkSettings } from '../../src/agent/document/network-settings.ts';
import type { Host } from '../../src/agent/host/host.ts';
import { createLinuxHost } from '../../src/agent/host/linux/host.ts';
import { readNetwork } from '../../src/agent/userdata/network/read-network.ts';

/** A machine below `root` that has these programs, which do what `act` says: it answers with an exit status, 0 without, or with what is printed; where it fails, `says` is its stderr. */
export function networkMachine(
  root: string,
  programs: string[],
  act: (argv: readonly string[], addresses: string[]) => number | string | undefined,
  addresses: string[] = [],
  says = 'it says no',
): { host: Host; called: string[] } {
  const called: string[] = [];
  const base = createLinuxHost({ root });
  let now = 0;
  const host: Host = {
    ...base,
    root: '/',
    clock: {
      ...base.clock,
      monotonic: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    },
    interfaceAddresses: () => addresses.map((address) => ({ name: 'eth0', address })),
    processes: {
      ...base.processes,
      which: async (name) => (programs.includes(name) ? `/usr/bin/${name}` : undefined),
      run: async ({ argv }) => {
        called.push(argv.join(' '));
        const answer = act(argv, addresses) ?? 0;
        const [exitStatus, stdout] = typeof answer === 'string' ? [0, answer] : [answer, ''];
        const stderr = exitStatus === 0 ? '' : says;
        return { exitStatus, stdout, stderr, timedOut: false, ms: 1 };
      },
    },
  };
  return { host, called };
}

/** The card eth0 with this address, and what else version 2 says of `ethernets`. */
export function networkSettings(address: string, more = ''): NetworkSettings {
  const text = `version: 2\nethernets: {eth0: {addresses: [${address}]}${more}}\n`;
  const found = readNetwork({ format: 'cloud-init', text, place: 'a test' }).settings;
  if (found === undefined) throw new Error('the configuration is wrong');
  return found;
}

import type { NetworkConfig } from '../../platform/instance/instance.ts';

/** A network configuration that a person has named; OpenStack's is known by what it holds. */
export function networkConfigOfFile(text: string, place: string): NetworkConfig {
  const isOpenStack = /^\s*\{/.test(text) && /"links"\s*:/.test(text);
  return { format: isOpenStack ? 'openstack' : 'cloud-init', text, place };
}

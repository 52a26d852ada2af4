import type { BootOptions } from '../../support/machines.ts';

/** A way from a machine's power-on to its Node; all have the same image otherwise, and the same user data. */
export interface Way {
  readonly label: string;
  readonly mode: BootOptions['mode'];
}

export const PLAIN: Way = { label: 'cloud-init + kubeadm', mode: 'plain' };
export const WAYS: readonly Way[] = [
  PLAIN,
  { label: 'cloud-init + Slipway', mode: 'shim' },
  { label: 'Slipway alone', mode: 'service' },
];

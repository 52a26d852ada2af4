/** PCI's numbers of who makes displays that compute too. Nobody else's does that a node would offer. */
export const NVIDIA = '10de';
export const AMD = '1002';
const INTEL = '8086';

export const GPU_VENDORS: ReadonlySet<string> = new Set([NVIDIA, AMD, INTEL]);

import type { Document } from '../../document/document.ts';

/** What people and scripts call the format that has this order; Slipway's own document has the order of one of them. */
export function formatName({ order }: Pick<Document, 'order'>): 'cloud-config' | 'ignition' | 'none' {
  if (order === undefined) return 'none';
  return order === 'stages' ? 'ignition' : 'cloud-config';
}

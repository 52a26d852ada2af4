import { CLOUDS, countedSize } from '../../kit/bytes/user-data-limits.ts';
import { pluralize } from '../../kit/pluralize.ts';

/** Names the platforms that took bootstrap data before files were added, and do not take them now. */
export function sizeWarnings(before: number, after: number): string[] {
  const exceeded = CLOUDS.filter(
    (cloud) => countedSize(cloud, before) <= cloud.bytes && countedSize(cloud, after) > cloud.bytes,
  );
  if (exceeded.length === 0) return [];
  const limits = exceeded.map(({ title, bytes }) => `${title} (${bytes})`).join(', ');
  return [
    `with what the machine needs to report, its bootstrap data takes ${pluralize(after, 'byte')}, more than these platforms accept as user data: ${limits}`,
  ];
}

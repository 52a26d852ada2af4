import { UsageError } from '../../../kit/errors.ts';
import type { Host } from '../../host/host.ts';
import { readMetaData } from '../../userdata/sources/contract/meta-data.ts';

import { readInput } from './input.ts';

export type Metadata = Record<string, unknown>;

/** What machines of most clouds know of themselves, so that templates have something to render. */
export const SAMPLE_METADATA: Metadata = {
  'instance-id': 'i-sample',
  'local-hostname': 'node-1.example.internal',
  hostname: 'node-1',
  name: 'node-1',
  uuid: '00000000-0000-4000-8000-000000000000',
  id: '1',
  label: 'node-1',
  region: 'region-1',
  zone: 'zone-1',
  'availability-zone': 'zone-1',
  providerid: 'sample://node-1',
};

/** @throws UsageError where it cannot be read */
export async function readMetaDataFile(host: Host, file: string): Promise<Metadata> {
  const { values, remarks } = readMetaData(await readInput(host, file), file);
  if (remarks[0] !== undefined) throw new UsageError(remarks[0].message);
  return values;
}

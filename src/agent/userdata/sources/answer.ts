import type { ReportEntry } from '../../document/document.ts';
import type { SystemFacts } from '../instance/system-facts.ts';

/** A source's answer about this machine. */
export type SourceAnswer =
  | { kind: 'not-mine' }
  | { kind: 'empty'; source: string }
  | { kind: 'needs-network'; source: string; reason: string }
  | ({ kind: 'found' } & Found);

/** User data with its metadata; fits `readDocument(found.userData, found)`. */
export interface Found {
  /** Name and place, e.g. `nocloud (/dev/sr0)`. */
  source: string;
  userData: Buffer;
  metaData: Record<string, unknown>;
  vendorData?: Buffer;
  system?: SystemFacts;
  /** What was wrong with the metadata. */
  remarks?: ReportEntry[];
}

export function found(data: Found): SourceAnswer {
  return data.userData.length === 0 ? { kind: 'empty', source: data.source } : { kind: 'found', ...data };
}

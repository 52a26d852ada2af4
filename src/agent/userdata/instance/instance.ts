import type { ReportEntry } from '../../document/document.ts';
import type { SystemFacts } from './system-facts.ts';

/** What Slipway knows about the machine before it reads the user data. */
export interface Instance {
  /** The source's meta-data, e.g. NoCloud's `meta-data` file: `instance-id`, `local-hostname` ... */
  metaData: Record<string, unknown>;
  /** Name of the source, e.g. `nocloud`. */
  source: string;
  /** For cloud-init's jinja variables about the system; without it they are undefined. */
  system?: SystemFacts;
  /** Slipway ignores vendor data and reports that if there is any. */
  vendorData?: Buffer;
  /** Warnings from reading the metadata; they come first in the report. */
  remarks?: ReportEntry[];
}

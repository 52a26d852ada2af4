import type { ReportEntry } from '../../document/document.ts';
import type { SystemFacts } from './system-facts.ts';

/** What is known about the machine when its user data is read. */
export interface Instance {
  /** The source's meta-data, e.g. NoCloud's `meta-data` file: `instance-id`, `local-hostname` ... */
  metaData: Record<string, unknown>;
  /** Name of the source, e.g. `nocloud`. */
  source: string;
  /** For the jinja variables of cloud-init that come from the system; without them those variables are missing. */
  system?: SystemFacts;
  /** Vendor data is reported as ignored when it holds anything. */
  vendorData?: Buffer;
  /** Warnings that arose while the metadata was read; they lead the report. */
  remarks?: ReportEntry[];
}

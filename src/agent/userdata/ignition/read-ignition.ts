import type { Document } from '../../document/document.ts';
import type { Report } from '../../text/report.ts';
import type { SourceText } from '../../text/source-text.ts';
import { Remarks } from './check/remarks.ts';
import { fromSpec2 } from './config/from-spec2.ts';
import { type Checked, readConfig } from './config/read-config.ts';
import { liftKubeadmUnit } from './lift/lift.ts';
import type { Config } from './schema/spec3.ts';
import { accountsOf } from './translate/accounts.ts';
import { Contents } from './translate/content.ts';
import { entriesOf } from './translate/entries.ts';
import { refuseRest } from './translate/not-done.ts';
import { fetchSettings } from './translate/remote.ts';
import { storageOf } from './translate/storage.ts';
import { unitsOf } from './translate/units.ts';

/** The part of a document that an Ignition config provides. */
export type IgnitionContent = Pick<Document, 'format' | 'files' | 'commands' | 'users' | 'groups'> &
  Partial<
    Pick<
      Document,
      'directories' | 'links' | 'fetching' | 'partitionings' | 'volumes' | 'units' | 'shell' | 'kubeadmUnit'
    >
  >;

/**
 * Reads an Ignition config of spec 2.0 to 2.4 or 3.0 to 3.6: checks it as ignition-validate does, and says in
 * the report, by JSON path, line and column, what is wrong with it and what cannot be done on a machine that
 * runs already.
 */
export function readIgnition(source: SourceText, report: Report): IgnitionContent {
  const nothing: IgnitionContent = { format: 'ignition', files: [], commands: [], users: [], groups: [] };
  const checked = readConfig(source, report);
  if (checked === undefined || report.failed) return nothing;
  const { places } = checked;
  const say = new Remarks(places, report);
  const config = asSpec3(checked, say);
  refuseRest(config, say);
  const contents = new Contents(say);
  const fetching = fetchSettings(config.ignition ?? {}, contents, say);
  const entries = entriesOf(config.storage ?? {}, contents, places, say);
  const units = unitsOf(config, places);
  return {
    ...nothing,
    ...entries,
    fetching,
    ...storageOf(config.storage ?? {}, places, say),
    ...accountsOf(config, places),
    ...liftKubeadmUnit(entries.files, units, report),
  };
}

function asSpec3(checked: Checked, say: Remarks): Config {
  if (checked.spec === 3) return checked.config;
  const { append = [], replace } = checked.config.ignition?.config ?? {};
  for (const reference of [...append, ...(replace ? [replace] : [])])
    say.error(reference, [], 'is another config, which Slipway does not fetch');
  return fromSpec2(checked.config, checked.places, say);
}

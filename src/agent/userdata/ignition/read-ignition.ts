import type { Document } from '../../document/document.ts';
import { type Limit, unlimited } from '../../host/time-limit.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import type { SourceText } from '../../text/source-text.ts';
import type { IncludeSource } from '../includes/fetch-include.ts';
import { Remarks } from './check/remarks.ts';
import { fromSpec2 } from './config/from-spec2.ts';
import { type Checked, readConfig } from './config/read-config.ts';
import { liftKubeadmUnit } from './lift/lift.ts';
import { renderConfig } from './render/render.ts';
import type { Config } from './schema/spec3.ts';
import { accountsOf } from './translate/accounts.ts';
import { Contents } from './translate/content.ts';
import { entriesOf } from './translate/entries.ts';
import { fetchSettings } from './translate/remote.ts';
import { kernelArgumentsOf, storageOf } from './translate/storage.ts';
import { unitsOf } from './translate/units.ts';
import { rejectUnsupported, volumesOf } from './translate/volumes.ts';

/** The part of a document that an Ignition config provides. */
type IgnitionContent = Pick<Document, 'order' | 'files' | 'commands' | 'users' | 'groups'> &
  Partial<
    Pick<
      Document,
      | 'asked'
      | 'directories'
      | 'links'
      | 'fetching'
      | 'disks'
      | 'kernelArguments'
      | 'arrays'
      | 'encryptions'
      | 'filesystems'
      | 'units'
      | 'shell'
      | 'kubeadmUnit'
    >
  >;

/**
 * Reads an Ignition config of spec 2.0 to 2.4 or 3.0 to 3.6: checks it as ignition-validate does, and says in
 * the report, by JSON path, line and column, what is wrong with it and what cannot be done on a machine that
 * runs already.
 *
 * @param library where other configs come from that it is merged with or replaced by
 * @throws IncludeUnavailable if a server does not give one of them yet
 */
export async function readIgnition(
  source: SourceText,
  diagnostics: Diagnostics,
  library?: IncludeSource,
  limit: Limit = unlimited,
): Promise<IgnitionContent> {
  const nothing: IgnitionContent = { order: 'stages', files: [], commands: [], users: [], groups: [] };
  const read = limit(() => readConfig(source, diagnostics));
  if (read === undefined || diagnostics.failed) return nothing;
  const whole = await renderConfig(read, library, diagnostics);
  if (whole === undefined) return nothing;
  return limit(() => translated(whole, diagnostics, nothing));
}

function translated(
  { checked, asked }: { checked: Checked; asked: NonNullable<Document['asked']> },
  diagnostics: Diagnostics,
  nothing: IgnitionContent,
): IgnitionContent {
  const { places } = checked;
  const say = new Remarks(places, diagnostics);
  const config = asSpec3(checked, say);
  rejectUnsupported(config, say);
  const contents = new Contents(say);
  const fetching = fetchSettings(config.ignition ?? {}, contents, say);
  const entries = entriesOf(config.storage ?? {}, contents, places, say);
  const units = unitsOf(config, places);
  return {
    ...nothing,
    ...(asked.length > 0 ? { asked } : {}),
    ...entries,
    fetching,
    ...storageOf(config.storage ?? {}, places, say),
    ...kernelArgumentsOf(config, say),
    ...volumesOf(config.storage ?? {}, contents, places, say),
    ...accountsOf(config, places),
    ...liftKubeadmUnit(entries.files, units, diagnostics),
  };
}

function asSpec3(checked: Checked, say: Remarks): Config {
  if (checked.spec === 3) return checked.config;
  return fromSpec2(checked.config, checked.places, say);
}

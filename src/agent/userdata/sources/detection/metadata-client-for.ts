import {
  type Base,
  MetadataClient,
  type MetadataOptions,
} from '../../../platform/metadata/metadata-client.ts';
import { configuredBases } from './configured.ts';
import type { SourceContext } from './source.ts';

/** A metadata client for a source: `name` is cloud-init's, whose configuration may name other addresses than `bases`. */
export async function metadataClientFor<T>(
  { machine, settings, patienceMs }: SourceContext,
  name: string,
  options: Omit<MetadataOptions, 'patienceMs' | 'bases'> & { bases: readonly Base[] },
  ask: (client: MetadataClient) => Promise<T>,
): Promise<T> {
  const bases = configuredBases(settings, name) ?? options.bases;
  const client = new MetadataClient(machine.host, { ...options, bases, patienceMs });
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}

import { kubernetesCertificate, sqliteKeys } from '../serve/keys.ts';
import { openSource, type SourceOptions } from './source.ts';

/** @returns 0 */
export async function caCommand(options: SourceOptions & { controllerNamespace: string }): Promise<number> {
  const { client, database, store } = openSource(options);
  try {
    const certificate = client
      ? await kubernetesCertificate(client, options.controllerNamespace)
      : database && (await sqliteKeys(database)).authority.certificate;
    process.stdout.write(certificate ?? '');
    return 0;
  } finally {
    await store.close();
  }
}

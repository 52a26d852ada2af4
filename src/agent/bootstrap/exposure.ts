import type { Diagnostic, Document } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import type { Cloud } from '../platform/instance/instance.ts';
import { knownSecrets } from '../redaction/document-secrets.ts';

/** A warning where a web server goes on to give the secrets to whoever reaches it from here. */
export async function exposure(
  host: Host,
  document: Document,
  cloud: Cloud | undefined,
): Promise<Diagnostic[]> {
  if (document.isMetadataGuarded || cloud === undefined) return [];
  if ((await knownSecrets(host, document)).length === 0) return [];
  const { exposedUserDataUrl } = await import('../userdata/sources/exposed-user-data.ts');
  const origin = await exposedUserDataUrl(host, cloud);
  if (origin === undefined) return [];
  const message = `The user data, with what is secret in them, stay readable at ${origin} for whoever reaches it; pods do, unless something keeps them from it.`;
  return [{ severity: 'warning', code: 'MetadataServesSecrets', message }];
}

import { X509Certificate } from 'node:crypto';
import { digest } from '../../kit/digest.ts';
import { IDENTITY_DIR } from '../document/paths.ts';
import { type Host, HostError } from '../host/host.ts';
import type { ControllerSettings } from '../settings/settings.ts';

const FILE = `${IDENTITY_DIR}/authorities.json`;
/** During a rotation there are two. */
const MOST = 8;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Keeps the authorities that the controller has named with the machine's certificate, each time all that count then. The
 * machine's settings say what counted when it was made; after a rotation that is of no use any more.
 *
 * They belong to the settings they came by: whoever names another authority or controller there begins anew.
 *
 * @returns why they could not be kept, if so
 */
export async function keepAuthorities(
  host: Host,
  instance: string,
  settings: ControllerSettings,
  pem: string,
): Promise<string | undefined> {
  // With the well-known authorities the server's certificate is none of the controller's own.
  if (settings.ca === undefined) return undefined;
  const authorities = (pem.match(PEM) ?? []).filter(isAuthority).slice(0, MOST);
  if (authorities.length === 0) return 'the controller named none';
  try {
    await host.files.mkdir(IDENTITY_DIR, 0o700);
    await host.files.write(FILE, `${JSON.stringify({ instance, of: digestOf(settings), authorities })}\n`, {
      mode: 0o600,
    });
    return undefined;
  } catch (error) {
    if (error instanceof HostError) return error.message;
    throw error;
  }
}

/** The settings, with the kept authorities beside their own. */
export async function withKeptAuthorities(
  host: Host,
  instance: string,
  settings: ControllerSettings,
): Promise<ControllerSettings> {
  if (settings.ca === undefined) return settings;
  const kept = await read(host, instance, settings);
  return kept.length === 0 ? settings : { ...settings, ca: [settings.ca, ...kept].join('\n') };
}

/** Empty where there are none for these settings, or they are damaged. */
async function read(host: Host, instance: string, settings: ControllerSettings): Promise<string[]> {
  try {
    const bytes = await host.files.readIfPresent(FILE, 65_536);
    const value = bytes && JSON.parse(bytes.toString('utf8'));
    if (value?.instance !== instance || value.of !== digestOf(settings)) return [];
    return Array.isArray(value.authorities) ? value.authorities.filter(isAuthority) : [];
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof HostError) return [];
    throw error;
  }
}

function digestOf({ endpoints, ca }: ControllerSettings): string {
  return digest([endpoints, ca]);
}

/** One that cannot be read would make every connection fail. */
function isAuthority(pem: unknown): boolean {
  if (typeof pem !== 'string') return false;
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

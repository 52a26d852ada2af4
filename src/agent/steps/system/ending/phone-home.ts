import { PAUSE_MS } from '../../../../kit/backoff.ts';
import type { PhoneHomeSettings } from '../../../document/system-settings.ts';
import { type Host, HostError } from '../../../host/host.ts';
import { StepError } from '../../../tools/step-error.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';

const TIMEOUT_MS = 10_000;

/** Posts names and public keys of the machine to a server, as a form (cloud-init's `cc_phone_home`). */
export const tellServer: Work<PhoneHomeSettings> = (settings, { owner: { instance } }) => ({
  onFailure: 'continue',
  attempts: 1,
  run: ({ host, signal }) =>
    attempt(async () => {
      const url = settings.url
        .reveal()
        .replace(/\{\{\s*INSTANCE_ID\s*\}\}|\$\{?INSTANCE_ID\}?/g, encodeURIComponent(instance));
      const told = await valuesOf(host, settings, instance);
      const body = Buffer.from(new URLSearchParams(told).toString());
      let last = '';
      for (let number = 1; number <= settings.tries && !signal.aborted; number += 1) {
        if (number > 1) await host.clock.sleep(PAUSE_MS.phoneHome, signal).catch(() => undefined);
        const answer = await post(host, url, body, signal);
        if (answer === undefined) return `told ${settings.post.join(', ')}`;
        last = answer;
      }
      throw new StepError('SystemSettingFailed', `Nobody took what phone_home tells: ${last}`);
    }),
});

/** @returns why nobody took it */
async function post(
  host: Host,
  url: string,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<string | undefined> {
  const client = host.network.client({});
  try {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status } = await client.send({
      method: 'POST',
      url,
      headers,
      body,
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    return status >= 200 && status < 300 ? undefined : `the server answers ${status}`;
  } catch (error) {
    if (error instanceof HostError) return error.message;
    throw error;
  } finally {
    client.close();
  }
}

async function valuesOf(
  host: Host,
  { post: wanted, hostname }: PhoneHomeSettings,
  instance: string,
): Promise<Record<string, string>> {
  const name = hostname?.name ?? host.hostname();
  const found: Record<string, string> = {};
  for (const key of wanted) {
    const type = /^pub_key_(\w+)$/.exec(key)?.[1];
    const file = type && (await host.files.readIfPresent(`/etc/ssh/ssh_host_${type}_key.pub`, 65_536));
    const known: Record<string, string> = {
      instance_id: instance,
      hostname: name,
      fqdn: hostname?.fqdn ?? name,
    };
    found[key] = (file ? file.toString('utf8') : known[key]) ?? 'N/A';
  }
  return found;
}

import { X509Certificate } from 'node:crypto';
import type { Host } from '../../../host/host.ts';
import { PKI } from '../../../kubeadm/config/kubeadm-files.ts';
import { type Check, readText } from '../check.ts';
import { found } from '../finding.ts';

/**
 * Compares this machine's clock with the dates of the certificate authority from user data: a control plane's
 * own certificates start with it. A joining worker has none; for it, the check of the API server compares
 * clocks.
 */
export const clock: Check = {
  name: 'clock',
  async run(host, { config }) {
    const path = `${config?.certificatesDir ?? PKI}/ca.crt`;
    const certificate = await readCertificate(host, path);
    if (certificate === undefined) return [];
    const { validFromDate: from, validToDate: to } = certificate;
    const now = host.clock.now();
    const is = `it is ${now.toISOString()} by the clock of this machine`;
    if (now < from)
      return [found('warning', 'ClockWrong', `${path} is valid from ${from.toISOString()} on, and ${is}`)];
    if (now > to)
      return [found('warning', 'ClockWrong', `${path} was valid until ${to.toISOString()}, and ${is}`)];
    return [];
  },
};

async function readCertificate(host: Host, path: string): Promise<X509Certificate | undefined> {
  const text = await readText(host, path);
  try {
    return text === undefined ? undefined : new X509Certificate(text);
  } catch {
    // kubeadm itself complains about a file that is no certificate.
    return undefined;
  }
}

import { X509Certificate } from 'node:crypto';
import type { Host } from '../../../host/host.ts';
import { PKI } from '../../../kubeadm/config/kubeadm-files.ts';
import { type Check, preflightFinding, readText } from '../check.ts';

/**
 * Compares this machine's clock with the dates of the certificate authority from user data: a control plane's
 * own certificates start with it. A joining worker has none; for it, the check of the API server compares
 * clocks.
 */
export const clock: Check = {
  name: 'clock',
  async run(host, { config }) {
    const path = `${config?.certificatesDir ?? PKI}/ca.crt`;
    const authority = await readAuthority(host, path);
    if (authority === undefined) return [];
    const { certificate, isAlone } = authority;
    const { validFromDate: from, validToDate: to } = certificate;
    const now = host.clock.now();
    const is = `it is ${now.toISOString()} by the clock of this machine`;
    if (now < from)
      return [
        preflightFinding(
          'warning',
          'ClockWrong',
          `${path} is valid from ${from.toISOString()} on, and ${is}`,
        ),
      ];
    if (now <= to) return [];
    const was = `${path} was valid until ${to.toISOString()}, and ${is}`;
    return [
      isAlone && (await isSynchronised(host))
        ? preflightFinding('fatal', 'CertificateInvalid', `${was}, which is synchronised`, { remedy: RENEW })
        : preflightFinding('warning', 'ClockWrong', was),
    ];
  },
};

/** kubeadm would go on with it, and wait in vain for an API server that nobody trusts. */
const RENEW =
  'Give the cluster a valid certificate authority (its Secret CLUSTER-ca), and create the machine again.';

/** Somebody has set it who knows the time. Where systemd does not tell, it may be the clock that is wrong. */
async function isSynchronised(host: Host): Promise<boolean> {
  try {
    const argv = ['timedatectl', 'show', '--property=NTPSynchronized'] as const;
    const { exitStatus, stdout } = await host.processes.run({ argv: [...argv], timeoutMs: 2_000 });
    return exitStatus === 0 && /^NTPSynchronized=yes$/m.test(stdout);
  } catch {
    return false;
  }
}

/** `isAlone`: no other stands behind it, by which what it has signed may be trusted. */
async function readAuthority(
  host: Host,
  path: string,
): Promise<{ certificate: X509Certificate; isAlone: boolean } | undefined> {
  const text = await readText(host, path);
  try {
    if (text === undefined) return undefined;
    const isAlone = text.split('-----BEGIN CERTIFICATE-----').length === 2;
    return { certificate: new X509Certificate(text), isAlone };
  } catch {
    // kubeadm itself complains about a file that is no certificate.
    return undefined;
  }
}

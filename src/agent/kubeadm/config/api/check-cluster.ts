/** What kubeadm demands of the cluster's settings, as far as every version from 1.20 on does. */
import { ipFamily } from '../../../../kit/ip-family.ts';
import type { Path, Rules } from './rules.ts';

const CODE = 'ControlPlaneConfigInvalid';

export function checkCluster(rules: Rules): void {
  rules.absolute(['certificatesDir']);
  rules.absolute(['etcd', 'local', 'dataDir']);
  if (rules.get(['etcd', 'local']) !== undefined && rules.get(['etcd', 'external']) !== undefined)
    rules.refuse(['etcd', 'external'], 'etcd must not have both local and external');
  for (const name of ['podSubnet', 'serviceSubnet']) checkSubnets(rules, ['networking', name]);
  const domain = rules.text(['networking', 'dnsDomain']);
  if (
    domain !== undefined &&
    !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(domain)
  )
    rules.refuse(['networking', 'dnsDomain'], 'networking.dnsDomain must be a DNS name in lower case', CODE);
  const endpoint = rules.text(['controlPlaneEndpoint']);
  if (endpoint !== undefined && hasForeignCharacters(endpoint))
    rules.refuse(
      ['controlPlaneEndpoint'],
      'controlPlaneEndpoint must be a DNS name or an IP address, and a port',
      CODE,
    );
  for (const path of [
    ['apiServer', 'certSANs'],
    ['etcd', 'local', 'serverCertSANs'],
    ['etcd', 'local', 'peerCertSANs'],
  ]) {
    rules.list(path).forEach((name, index) => {
      const isWrong =
        name === null || (typeof name === 'string' && (name === '' || hasForeignCharacters(name)));
      const what = `${path.join('.')}[${index}] must be a DNS name or an IP address`;
      if (isWrong) rules.refuse([...path, index], what, CODE);
    });
  }
}

/**
 * Characters of neither names nor addresses; the finer rules differ between versions and are left to kubeadm.
 */
function hasForeignCharacters(text: string): boolean {
  return /[^A-Za-z0-9.:*[\]%-]/.test(text);
}

/** One address range, or one of each family. */
function checkSubnets(rules: Rules, path: Path): void {
  const value = rules.text(path);
  if (value === undefined || value.split(',').every((part) => isAddressRange(part.trim()))) return;
  rules.refuse(path, `${path.join('.')} must be an address range such as 10.244.0.0/16`, CODE);
}

function isAddressRange(text: string): boolean {
  const [, address = '', bits] = /^(.*)\/(\d{1,3})$/.exec(text) ?? [];
  const family = ipFamily(address);
  return family !== undefined && Number(bits) <= (family === 4 ? 32 : 128);
}

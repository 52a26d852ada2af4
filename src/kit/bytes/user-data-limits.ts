/** How much user data a platform takes. */
interface Cloud {
  name: string;
  title: string;
  bytes: number;
  /** What is counted: the user data as it is, or as base64. */
  counts: 'raw' | 'base64';
}

/** By the platforms' own documents of 2026. */
export const CLOUDS: readonly Cloud[] = [
  { name: 'aws', title: 'AWS EC2', bytes: 16_384, counts: 'raw' },
  { name: 'azure', title: 'Azure', bytes: 65_535, counts: 'raw' },
  { name: 'gcp', title: 'Google Compute Engine', bytes: 262_144, counts: 'raw' },
  { name: 'openstack', title: 'OpenStack', bytes: 65_535, counts: 'base64' },
  { name: 'vsphere', title: 'vSphere guestinfo', bytes: 65_536, counts: 'base64' },
  { name: 'digitalocean', title: 'DigitalOcean', bytes: 65_536, counts: 'raw' },
  { name: 'hetzner', title: 'Hetzner Cloud', bytes: 32_768, counts: 'raw' },
  { name: 'oracle', title: 'Oracle Cloud', bytes: 32_000, counts: 'base64' },
  { name: 'akamai', title: 'Akamai (Linode)', bytes: 65_535, counts: 'base64' },
  { name: 'cloudstack', title: 'CloudStack', bytes: 32_768, counts: 'base64' },
  {
    name: 'secret',
    title: "a Kubernetes Secret, as Cluster API's bootstrap data",
    bytes: 1_048_576,
    counts: 'raw',
  },
];

export function countedSize({ counts }: Cloud, bytes: number): number {
  return counts === 'raw' ? bytes : Math.ceil(bytes / 3) * 4;
}

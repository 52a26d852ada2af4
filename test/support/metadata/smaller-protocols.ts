import type { Protocol } from './cloud-server.ts';
import { KEY, tree, USER_DATA } from './tree.ts';

const json = JSON.stringify;
const base64 = Buffer.from(USER_DATA).toString('base64');

const EC2_LIKE = {
  'instance-id': 'i-like',
  'local-hostname': 'node-1',
  'local-ipv4': '10.0.0.4',
  'availability-zone': 'zone-1',
  'public-keys': KEY,
};

function ec2Like(version: string): Protocol {
  const files = Object.fromEntries(
    Object.entries(EC2_LIKE).map(([name, value]) => [`/${version}/meta-data/${name}`, value]),
  );
  return tree({
    ...files,
    [`/${version}/meta-data/`]: Object.keys(EC2_LIKE).join('\n'),
    [`/${version}/user-data`]: USER_DATA,
  });
}

/** Oracle's version 2 wants its header, and refuses what came through a proxy. */
function oracle(): Protocol {
  const files = tree({
    '/opc/v2/instance/': json({
      ...{ id: 'ocid1.instance.x', hostname: 'node-1', displayName: 'Node 1' },
      ...{ ociAdName: 'eu-frankfurt-1-ad-1', canonicalRegionName: 'eu-frankfurt-1' },
      metadata: { user_data: base64, ssh_authorized_keys: KEY },
    }),
    '/opc/v2/vnics/': json([{ privateIp: '10.0.0.3' }]),
  });
  return (asked) => (asked.headers.authorization === 'Bearer Oracle' ? files(asked) : { status: 401 });
}

/** Akamai's tokens: by PUT with a lifetime, then in a header. */
function akamai(): Protocol {
  const files = tree({
    '/v1/instance': json({ id: 77, label: 'node-1', region: 'eu-central' }),
    '/v1/user-data': base64,
    '/v1/ssh-keys': json({ users: { root: [KEY] } }),
    '/v1/network': json({ ipv4: { public: ['192.0.2.5/32'], private: [] } }),
  });
  return (asked) => {
    if (asked.path === '/v1/token')
      return asked.method === 'PUT' && Number(asked.headers['metadata-token-expiry-seconds']) > 0
        ? { status: 200, body: 'token-1' }
        : { status: 400 };
    return asked.headers['metadata-token'] === 'token-1' ? files(asked) : { status: 401 };
  };
}

/** Scaleway's user data is for those who may use a port below 1024. */
function scaleway(): Protocol {
  const files = tree({
    '/conf': json({
      ...{ id: 's-1', hostname: 'node-1', zone: 'fr-par-1', private_ip: '10.0.0.2' },
      ...{ ssh_public_keys: [{ key: KEY }], tags: ['AUTHORIZED_KEY=ssh-rsa_AAAA_tag'] },
    }),
    '/user_data/cloud-init': USER_DATA,
  });
  return (asked) =>
    asked.path.startsWith('/user_data') && asked.remotePort >= 1024 ? { status: 403 } : files(asked);
}

/** MAAS checks an OAuth 1.0a header with PLAINTEXT, whose time must be about now by its own clock, and no nonce twice. */
function maas(): Protocol {
  const files = tree({
    '/MAAS/metadata/2012-03-01/meta-data/instance-id': 'abc123',
    '/MAAS/metadata/2012-03-01/meta-data/local-hostname': 'node-1.maas',
    '/MAAS/metadata/2012-03-01/meta-data/public-keys': `${KEY}\n`,
    '/MAAS/metadata/2012-03-01/user-data': USER_DATA,
  });
  const seen = new Set<string>();
  // A server whose clock is a year ahead of the machine's.
  const now = () => Date.now() + 365 * 86_400_000;
  return (asked) => {
    const fields = new Map(
      [...(asked.headers.authorization ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    );
    const nonce = fields.get('oauth_nonce') ?? '';
    const isTimely = Math.abs(Number(fields.get('oauth_timestamp')) * 1000 - now()) < 300_000;
    const isSigned =
      fields.get('oauth_consumer_key') === 'ckey' &&
      fields.get('oauth_token') === 'tkey' &&
      fields.get('oauth_signature') === encodeURIComponent('&ts%21cret');
    const date = { date: new Date(now()).toUTCString() };
    if (!isSigned || !isTimely || nonce === '' || seen.has(nonce)) return { status: 401, headers: date };
    seen.add(nonce);
    return { ...files(asked), headers: date };
  };
}

/** Clouds of one document or of a few files. */
export const SMALLER: Readonly<Record<string, () => Protocol>> = {
  hetzner: () =>
    tree({
      '/hetzner/v1/metadata': `instance-id: 4711\nhostname: node-1\nregion: eu-central\navailability-zone: hel1-dc2\npublic-ipv4: 192.0.2.9\npublic-keys:\n- ${KEY}\n`,
      '/hetzner/v1/metadata/private-networks': '[]\n',
      '/hetzner/v1/userdata': base64,
    }),
  'hetzner-without-user-data': () => (asked) =>
    asked.path.endsWith('userdata')
      ? { status: 204 }
      : tree({ '/hetzner/v1/metadata': 'instance-id: 4711\nhostname: node-1\n' })(asked),
  digitalocean: () =>
    tree({
      '/metadata/v1.json': json({
        ...{ droplet_id: 2756294, hostname: 'node-1', region: 'nyc3', public_keys: [KEY] },
        ...{ user_data: USER_DATA, vendor_data: '#cloud-config\n{}' },
        interfaces: { public: [{ ipv4: { ip_address: '192.0.2.8' } }] },
      }),
    }),
  upcloud: () =>
    tree({
      '/metadata/v1.json': json({
        ...{
          instance_id: '0077f',
          hostname: 'node-1',
          region: 'de-fra1',
          public_keys: [KEY],
          user_data: USER_DATA,
        },
        network: { interfaces: [{ ip_addresses: [{ address: '10.0.0.6' }] }] },
      }),
    }),
  vultr: () => (asked) =>
    asked.headers['metadata-token'] === 'cloudinit'
      ? tree({
          '/v1.json': json({
            ...{
              'instance-v2-id': 'v-1',
              hostname: 'node-1',
              region: { regioncode: 'EWR', countrycode: 'US' },
            },
            ...{ 'public-keys': [KEY], 'user-data': USER_DATA, 'vendor-data': '' },
            interfaces: [{ ipv4: { address: '192.0.2.6' } }],
          }),
        })(asked)
      : { status: 403 },
  oracle,
  akamai,
  scaleway,
  maas,
  exoscale: () => ec2Like('1.0'),
  cloudstack: () => ec2Like('latest'),
};

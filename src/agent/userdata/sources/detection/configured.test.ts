import { expect, it } from 'vitest';
import { memoryHost } from '../../../../../test/fuzz/memory-host.ts';
import { findUserData } from '../find.ts';
import { configuredBases } from './configured.ts';

it('asks only where an address is one', () => {
  const datasource = {
    Ec2: { metadata_urls: ['http://:"', 'ftp://h', 'http://h/'], metadata_url: 'https://' },
  };
  expect(configuredBases({ datasource }, 'Ec2')).toEqual([{ url: 'http://h' }]);
  expect(configuredBases({ datasource: { Ec2: { metadata_url: 'http://:"' } } }, 'Ec2')).toBeUndefined();
});

it('takes an address of MAAS that is none for a machine that is not of MAAS', async () => {
  const config = `datasource: {MAAS: {metadata_url: 'http://:"'}}\n`;
  const host = memoryHost({ '/etc/cloud/cloud.cfg.d/90_dpkg_maas.cfg': config });
  expect(await findUserData(host, { source: 'maas' })).toMatchObject({ kind: 'not-mine' });
});

import { describe, expect, it } from 'vitest';
import { isOurs, timesyncdDropIn, withSources } from './sources.ts';

const chosen = { servers: ['a.example', '192.0.2.1'], pools: ['pool.example'] };

it('writes servers and pools into one line for timesyncd', () => {
  expect(timesyncdDropIn(chosen)).toMatch(/^#.*\n\[Time\]\nNTP=a\.example 192\.0\.2\.1 pool\.example\n$/);
});

describe('withSources', () => {
  const distribution = `# Welcome
pool 2.debian.pool.ntp.org iburst
server ntp.image iburst
sourcedir /run/chrony-dhcp
keyfile /etc/chrony/chrony.keys
serverstats yes
`;

  it('takes the distribution’s sources away and keeps the rest', () => {
    const text = withSources(distribution, chosen);
    expect(text).toBe(`${text.split('\n')[0]}
pool pool.example iburst
server a.example iburst
server 192.0.2.1 iburst
# Welcome
keyfile /etc/chrony/chrony.keys
serverstats yes
`);
  });

  it('knows its own work, and gives the same when applied to it', () => {
    const once = withSources(distribution, chosen);
    expect(isOurs(distribution)).toBe(false);
    expect(isOurs(once)).toBe(true);
    expect(withSources(once, chosen)).toBe(once);
  });
});

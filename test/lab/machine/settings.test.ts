import { execaSync } from 'execa';
import { describe, expect, it } from 'vitest';
import { cniConfig, machineSettings, quote } from './settings.ts';

const record = { lab: 'x', name: 'cp1', ip: '10.99.1.20', role: 'worker', cloudInit: false } as const;

const shell = (script: string): string =>
  execaSync('sh', ['-c', script], { stripFinalNewline: false }).stdout;

describe('quote', () => {
  it.each(["it's", '$HOME `id` "x" \\', 'two\nlines', ''])('brings %j through a shell unchanged', (text) => {
    expect(shell(`printf %s ${quote(text)}`)).toBe(text);
  });
});

describe('machineSettings', () => {
  it('is what a shell can read', () => {
    const settings = machineSettings(record, ['/a b', '/c'], 42);
    const script = `${settings}\nprintf '%s|' "$NAME" "$LOWER" "$SWITCH_PID" "$CABLE" "$MAC"`;
    expect(shell(script)).toBe('cp1|/a b:/c|42|m1-20|02:00:0a:63:01:14|');
  });
});

it('gives the pods of each machine a network of their own', () => {
  const subnet = (ip: string) => JSON.parse(cniConfig(ip)).plugins[0].ipam.ranges[0][0].subnet;
  expect(subnet('10.99.1.20')).not.toBe(subnet('10.99.0.20'));
  expect(subnet('10.99.1.20')).not.toBe(subnet('10.99.1.21'));
});

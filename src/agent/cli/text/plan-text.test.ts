import { expect, it, vi } from 'vitest';
import { plan } from '../../steps/plan.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import { planAsJson, planAsText } from './plan-text.ts';
import { printDiagnostics } from './print-failure.ts';

const read = (text: string) =>
  readUserData(Buffer.from(`#cloud-config\n${text}`), { source: 'file', metaData: {} });

it.each([
  [
    '{mode: poweroff, delay: 30}',
    'then: poweroff after 30 minutes (power_state)',
    { mode: 'poweroff', delayMinutes: 30, when: 'always' },
  ],
  [
    '{mode: reboot}',
    'then: reboot at once (power_state)',
    { mode: 'reboot', delayMinutes: 0, when: 'always' },
  ],
  [
    '{mode: halt, delay: 1, condition: test -f /secret}',
    'then: halt after 1 minute, where its condition is met (power_state)',
    { mode: 'halt', delayMinutes: 1, when: 'condition met' },
  ],
  [
    '{mode: halt, condition: false}',
    'then: no halt, for its condition is false (power_state)',
    { mode: 'halt', delayMinutes: 0, when: 'never' },
  ],
])('says what comes of the machine in the end: %s', async (settings, line, powerState) => {
  const document = await read(`power_state: ${settings}\nruncmd: [ls]\n`);
  const steps = plan(document);
  expect(planAsText(document, steps).trimEnd().split('\n').at(-1)).toBe(line);
  const json = planAsJson(document, [], steps);
  expect(json).toMatchObject({ powerState });
  expect(JSON.stringify(json)).not.toContain('/secret');
});

it('says nothing of an end that nobody asks for', async () => {
  const document = await read('runcmd: [ls]\n');
  expect(planAsText(document, plan(document))).not.toContain('then:');
  expect(planAsJson(document, [], plan(document))).not.toHaveProperty('powerState');
});

it('names the host name that the machine gets', async () => {
  const titles = async (text: string) => plan(await read(`${text}\n`)).map(({ title }) => title);
  expect(await titles('{hostname: h, fqdn: h.example.com}')).toContain('set the host name to h');
  expect(await titles('{hostname: h, fqdn: h.example.com, prefer_fqdn_over_hostname: true}')).toContain(
    'set the host name to h.example.com',
  );
});

it('says below the first error of each code what to do, and nowhere else', async () => {
  const { report } = await read('write_files: [{content: a}, {content: b}]\nnosuch: 1\n');
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  printDiagnostics(report);
  const lines = written.mock.calls.map(([line]) => String(line).slice(0, 17));
  written.mockRestore();
  expect(lines.filter((line) => line.startsWith('slipway: error'))).toHaveLength(2);
  expect(lines.filter((line) => line.startsWith('  '))).toEqual(['  Correct the val']);
  const { report: told } = planAsJson(await read(''), report, undefined) as { report: object[] };
  expect(told.filter((entry) => 'remedy' in entry)).toHaveLength(2);
});

import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { installCommand } from './install.ts';

let root: string;
let printed: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'slipway-install-'));
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

// The binary is given to root, which only root may do.
it.runIf(process.getuid?.() === 0)('enables the units that are asked for, twice as once', async () => {
  const units = join(root, 'etc/systemd/system');
  for (let time = 0; time < 2; time += 1) {
    expect(await installCommand({ root, service: true, report: true })).toBe(0);
    for (const [target, unit] of [
      ['multi-user', 'slipway'],
      ['sysinit', 'slipway-report'],
    ]) {
      const link = join(units, `${target}.target.wants/${unit}.service`);
      expect(readlinkSync(link)).toBe(`../${unit}.service`);
      expect(readFileSync(link, 'utf8')).toContain('ExecStart=/usr/local/bin/slipway');
    }
  }
  expect(readFileSync(join(units, 'slipway.service'), 'utf8')).toMatch(/^Wants=.*slipway-report\.service/m);
  expect(printed).toContain(`${root}/etc/systemd/system/slipway-report.service written and enabled`);
});

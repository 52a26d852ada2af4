import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createHost } from '../../create-host.ts';
import { GPU_SERVER, plant } from '../../facts/fixtures/tree.ts';
import { gatherFacts } from '../../facts/gather.ts';
import { run } from '../program.ts';
import { factsText } from './facts-text.ts';

it('leaves out where a fact is from on a terminal that has no room for it, and nothing else', async () => {
  const root = mkdtempSync(join(tmpdir(), 'slipway-facts-text-'));
  try {
    mkdirSync(join(root, 'etc'));
    writeFileSync(join(root, 'etc/os-release'), 'PRETTY_NAME="Some Linux 12"\n');
    const facts = await gatherFacts(createHost({ root }));
    expect(factsText(facts)).toMatch(/^Operating system {2}Some Linux 12 {2}\/etc\/os-release$/m);
    expect(factsText(facts, 40)).toMatch(/^Operating system {2}Some Linux 12$/m);
  } finally {
    rmSync(root, { recursive: true });
  }
});

it("names a maker once, whose driver begins its devices' names with it", async () => {
  const root = plant(GPU_SERVER);
  try {
    const facts = await gatherFacts(createHost({ root }));
    expect(factsText(facts)).toMatch(/^GPU +NVIDIA A100-SXM4-80GB \[10de:20b2\] at 0000:07:00.0/m);
  } finally {
    rmSync(root, { recursive: true });
  }
});

it('refuses a --root that is no directory, and takes a link to one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-facts-root-'));
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += String(text);
      return true;
    });
  try {
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('nowhere', join(folder, 'lost'));
    symlinkSync(folder, join(folder, 'link'));
    for (const name of ['missing', 'file', 'lost']) {
      printed.stderr = '';
      const root = join(folder, name);
      expect(await run(['facts', '--root', root])).toBe(2);
      expect(printed).toEqual({
        stdout: '',
        stderr: `slipway: --root ${root}: there is no such directory\n`,
      });
    }
    expect(await run(['facts', '--root', join(folder, 'link')])).toBe(0);
  } finally {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true });
  }
});

it('says of an empty directory that nothing there tells of a machine', async () => {
  const root = mkdtempSync(join(tmpdir(), 'slipway-facts-text-'));
  try {
    expect(factsText(await gatherFacts(createHost({ root })))).toMatch(
      /^Nothing here tells of a machine\.\n\nNot known/,
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});

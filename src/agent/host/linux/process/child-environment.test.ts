import { afterEach, expect, it, vi } from 'vitest';
import { unitFiles } from '../../../../../build/project.ts';
import { LOADER_VARIABLES } from '../../../../kit/environment.ts';
import { createLinuxHost } from '../host.ts';

afterEach(() => vi.unstubAllEnvs());

it('hands nothing on that loads code into a program, whichever way that is started', async () => {
  for (const name of LOADER_VARIABLES) vi.stubEnv(name, '/nonexistent');
  vi.stubEnv('HTTPS_PROXY', 'http://proxy');
  const { processes } = createLinuxHost();
  const { stdout } = await processes.run({ argv: ['/usr/bin/env'] });
  expect(stdout).toContain('HTTPS_PROXY=http://proxy\n');
  for (const name of LOADER_VARIABLES) expect(stdout).not.toMatch(new RegExp(`^${name}=`, 'm'));
});

it('lets a step give what it means to give', async () => {
  const { stdout } = await createLinuxHost().processes.run({ argv: ['/usr/bin/env'], env: { ENV: 'given' } });
  expect(stdout).toContain('ENV=given\n');
});

it('is the list of the units too', () => {
  // Path units and timers start no program of their own.
  for (const [unit, text] of Object.entries(unitFiles())) {
    if (!unit.endsWith('.service')) continue;
    const unset = [...text.matchAll(/^UnsetEnvironment=(.*)$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(unset, unit).toEqual(expect.arrayContaining([...LOADER_VARIABLES]));
  }
});

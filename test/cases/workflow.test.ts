import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { root } from '../../build/project.ts';

interface Job {
  needs?: string;
  strategy?: { matrix: { include?: { run?: string }[] } };
  steps: { run?: string; uses?: string; with?: Record<string, string> }[];
}

const folder = join(root, '.github/workflows');
const jobs = readdirSync(folder).flatMap((file) =>
  Object.entries((load(readFileSync(join(folder, file), 'utf8')) as { jobs: Record<string, Job> }).jobs),
);
const named = new Map(jobs);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const linesOf = ({ steps, strategy }: Job): string =>
  [...steps, ...(strategy?.matrix.include ?? [])].map(({ run = '' }) => run).join('\n');

it.each(jobs)('what the job %s runs and takes is there', (_, job) => {
  const lines = linesOf(job);
  for (const [, script = ''] of lines.matchAll(/npm run (\S+)/g)) expect(scripts).toHaveProperty(script);
  for (const [, name = ''] of lines.matchAll(/test:cases -- (\S+)/g))
    expect(existsSync(join(import.meta.dirname, name, 'run.ts')), name).toBe(true);
  for (const [path] of lines.matchAll(/\b(?:windows|test)\\[\w\\.-]+/g))
    expect(existsSync(join(root, path.replaceAll('\\', '/'))), path).toBe(true);
  if (job.needs !== undefined) expect([...named.keys()]).toContain(job.needs);
  for (const { uses = '', with: given } of job.steps) {
    if (uses !== '') expect(uses).toMatch(/@[0-9a-f]{40}$/);
    if (!uses.startsWith('actions/download-artifact')) continue;
    const uploads = named
      .get(job.needs ?? '')
      ?.steps.filter((step) => step.uses?.includes('/upload-artifact'));
    expect(uploads?.map((step) => step.with?.name)).toContain(given?.name);
  }
});

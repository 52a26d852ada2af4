import { execaSync } from 'execa';

/** @param tools names of programs, each with the Debian package that has it. @throws Error naming what is missing */
export function needTools(tools: Readonly<Record<string, string>>): void {
  const missing = Object.entries(tools).filter(
    ([tool]) => execaSync('sh', ['-c', 'command -v "$0"', tool], { reject: false }).exitCode !== 0,
  );
  if (missing.length > 0)
    throw new Error(
      `${missing.map(([tool]) => tool).join(' and ')} is missing: apt-get install ${missing.map(([, name]) => name).join(' ')}`,
    );
}

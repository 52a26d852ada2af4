/** Reads the fixtures of log lines: blocks that begin with `=== code | words of the cause | ...`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface LogFixture {
  name: string;
  code: string;
  cause: string;
  /** What else stands in the head, in order. */
  more: string[];
  text: string;
}

const DIRECTORY = fileURLToPath(new URL('../../../src/agent/diagnosis/fixtures/logs', import.meta.url));

export function readLogFixtures(file: string): LogFixture[] {
  const [, ...blocks] = readFileSync(`${DIRECTORY}/${file}.txt`, 'utf8').split(/^=== /m);
  return blocks.map((block) => {
    const end = block.indexOf('\n');
    const [code = '', cause = '', ...more] = block.slice(0, end).split(' | ');
    return { name: `${code}: ${cause} (${more.join(', ')})`, code, cause, more, text: block.slice(end + 1) };
  });
}

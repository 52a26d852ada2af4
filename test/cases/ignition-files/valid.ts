import assert from 'node:assert/strict';
import { readUserData } from '../../../src/agent/userdata/read-user-data.ts';
import { ignitionValidator } from '../../lab/lab.ts';
import { run } from '../../lab/process/command.ts';
import { shipped } from './shipped.ts';

const NAMES = ['baked', 'download', 'sysext'];

interface Config {
  ignition: { version: string };
  storage: Record<'files' | 'links', { filesystem?: string }[]>;
}

/**
 * Real ignition-validate takes those of spec 3 without a warning. Nothing in Debian validates spec 2: those are the same but
 * for what differs between the two, and Slipway's own reader, which the case `ignition` holds against Ignition, takes both.
 */
export async function expectValid(say: (line: string) => void): Promise<void> {
  const validator = await ignitionValidator(say);
  for (const name of NAMES) {
    const text = shipped(`${name}.ign`);
    const { code, stdout, stderr } = await run(validator, ['-'], { input: text });
    assert.equal(`${code} ${stdout}${stderr}`, '0 ', name);
    const older = shipped(`${name}-2.3.ign`);
    for (const one of [text, older]) {
      const { report } = await readUserData(Buffer.from(one), { source: 'file', metaData: {} });
      assert.deepEqual(report, [], name);
    }
    assert.deepEqual(inWordsOf3(JSON.parse(older)), JSON.parse(text), `${name}-2.3.ign`);
  }
  say(`valid: ${NAMES.join(', ')}, in spec 3.3 by ignition-validate and in spec 2.3`);
}

function inWordsOf3(config: Config): Config {
  assert.equal(config.ignition.version, '2.3.0');
  const without = (list: { filesystem?: string }[]) =>
    list.map(({ filesystem, ...rest }) => {
      assert.equal(filesystem, 'root');
      return rest;
    });
  const { files, links } = config.storage;
  return {
    ...config,
    ignition: { version: '3.3.0' },
    storage: { ...config.storage, files: without(files), links: without(links) },
  };
}

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { distPath, WINDOWS } from '../../platforms.ts';
import { nodeBinary, projectVersion } from '../../project.ts';
import { baseNode } from '../base/base-node.ts';
import { asFunction, bundle } from '../bundle.ts';
import { licensesText, partsOf } from '../licenses.ts';
import { pack } from '../pack.ts';
import { unsignBinary } from './unsign.ts';

/** Bytes that the program may have. */
const LARGEST = 98_000_000;

/**
 * Builds slipway.exe from the same sources, as one file that needs nothing but Windows. It is not run here: the case
 * test/cases/windows does that, under Wine. It has no signature; whoever releases it signs it with a certificate of theirs.
 *
 * @returns what was built
 * @throws Error where it is larger than it may be
 */
export async function buildWindows(output = distPath('slipway', WINDOWS)): Promise<string> {
  mkdirSync(dirname(output), { recursive: true });
  const scratch = mkdtempSync(join(dirname(output), '.build-windows-'));
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const [main, slipway, report, licenses, node, made] = [
      'launcher.cjs',
      'slipway',
      'report',
      'licenses',
      'node.exe',
      'slipway.exe',
    ].map((name) => join(scratch, name)) as [string, string, string, string, string, string];
    const script = async (entry: string) => (await bundle({ entry, system: 'win32' })).code;
    const { code, inputs } = await bundle({ system: 'win32' });
    writeFileSync(slipway, asFunction(code));
    writeFileSync(report, asFunction(await script('src/slipway-report.ts')));
    writeFileSync(main, await script('build/binary/launcher.ts'));
    writeFileSync(licenses, licensesText(partsOf(inputs)));
    unsignBinary(baseNode(WINDOWS).path, node);
    pack({ main, assets: { slipway, report, licenses }, node, writer: nodeBinary(), output: made });
    const { length } = readFileSync(made);
    if (length > LARGEST) throw new Error(`slipway.exe has ${length} bytes, and may have ${LARGEST}`);
    renameSync(made, output);
    return `slipway ${projectVersion()} for ${WINDOWS} (not run: npm run test:cases -- windows)`;
  } finally {
    remove();
    process.off('exit', remove);
  }
}

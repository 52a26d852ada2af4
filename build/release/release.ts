import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { execaSync } from 'execa';
import { buildBinary } from '../binary/binary.ts';
import { buildController } from '../binary/controller-binary.ts';
import { buildWindows } from '../binary/windows/windows.ts';
import { type Format, makeImage, makeIndex } from '../images/images.ts';
import { imageInputs } from '../images/inputs.ts';
import { PLATFORMS, programName, WINDOWS } from '../platforms.ts';
import { projectVersion, releaseKey, root } from '../project.ts';
import { megabytes } from '../sizes.ts';
import { provenance, type Subject } from './provenance.ts';
import { needSbom, sbom } from './sbom.ts';
import { needSigner, sign } from './sign.ts';

interface ReleaseOptions {
  /** The folder that becomes the release; it must not be there. */
  readonly folder: string;
  /** minisign's secret key; without one nothing is signed. */
  readonly key?: string;
  /** What is packed for each platform, as `npm run images` has it. */
  readonly formats: readonly Format[];
  readonly say: (line: string) => void;
}

/**
 * Makes a release of the commit at which the checkout stands: both programs for every platform (of Windows the agent), packages and images of
 * them, files for image builds, licences, manuals, what clusterctl takes, an SBOM of each binary, provenance, SHA256SUMS over all of them, and its signature.
 *
 * @throws Error where something is not committed, because provenance names the commit
 */
export async function release({ folder, key, formats, say }: ReleaseOptions): Promise<void> {
  const git = (...words: string[]): string => execaSync('git', words, { cwd: root }).stdout;
  if (git('status', '--porcelain', '--untracked-files=no') !== '')
    throw new Error('something in the checkout is not committed; a release is of a commit');
  if (existsSync(folder)) throw new Error(`${folder} is there already`);
  if (key !== undefined) needSigner(key);
  needSbom();
  const commit = git('rev-parse', 'HEAD');
  const date = new Date(git('log', '-1', '--format=%cI')).toISOString();
  const scratch = `${folder}.part`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  try {
    await buildInto(scratch, date, say);
    const tell = (path: string) => say(`${basename(path)}: ${megabytes(statSync(path).size)}`);
    for (const format of formats)
      for (const platform of PLATFORMS) tell(makeImage({ format, platform, folder: scratch, from: scratch }));
    if (formats.includes('oci')) tell(makeIndex({ folder: scratch, from: scratch }, PLATFORMS));
    writeFileSync(join(scratch, 'slipway-images.tar.gz'), imageInputs(new Date(date)));
    const subjects = sumsOf(scratch);
    writeFileSync(join(scratch, 'provenance.intoto.json'), provenance(subjects, commit));
    copyFileSync(join(root, 'release', 'verify.sh'), join(scratch, 'verify.sh'));
    const sums = sumsOf(scratch).map(({ name, sha256 }) => `${sha256}  ${name}\n`);
    writeFileSync(join(scratch, 'SHA256SUMS'), sums.join(''));
    if (key === undefined) say('nothing is signed: no --key');
    else
      sign({
        file: join(scratch, 'SHA256SUMS'),
        key,
        comment: `slipway ${projectVersion()} commit ${commit}`,
        publicKey: releaseKey(),
      });
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Programs with their SBOM for each platform, and once all that is the same for each. */
async function buildInto(folder: string, date: string, say: (line: string) => void): Promise<void> {
  for (const platform of PLATFORMS) {
    const binary = join(folder, `slipway-${platform}`);
    const controller = join(folder, `slipway-controller-${platform}`);
    const others = { bundle: join(folder, 'slipway.cjs'), licenses: join(folder, 'LICENSES.txt') };
    say(await buildBinary(platform, { binary, ...others }));
    say(await buildController(platform, controller));
    for (const [program, path] of [
      ['slipway', binary],
      ['slipway-controller', controller],
    ] as const)
      writeFileSync(`${path}.cdx.json`, await sbom({ program, platform, path, date }));
  }
  const path = join(folder, programName('slipway', WINDOWS));
  say(await buildWindows(path));
  writeFileSync(`${path}.cdx.json`, await sbom({ program: 'slipway', platform: WINDOWS, path, date }));
  rmSync(join(folder, 'slipway.cjs'));
  for (const program of ['slipway', 'slipway-controller']) {
    const { stdout } = execaSync(join(folder, `${program}-linux-x64`), ['man']);
    writeFileSync(join(folder, `${program}.8`), `${stdout}\n`);
  }
}

/** SHA-256 of every file of a folder, by name. */
function sumsOf(folder: string): Subject[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const content = readFileSync(join(folder, name));
      return { name, sha256: createHash('sha256').update(content).digest('hex') };
    });
}

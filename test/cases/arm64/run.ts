import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { buildBinary } from '../../../build/binary/binary.ts';
import { buildController } from '../../../build/binary/controller-binary.ts';
import { runnerOf } from '../../../build/binary/runner.ts';
import { distPath } from '../../../build/platforms.ts';
import { projectVersion } from '../../../build/project.ts';
import { ARM_BOARD } from '../../../src/agent/facts/fixtures/arm-board.ts';
import { plant } from '../../../src/agent/facts/fixtures/tree.ts';
import { withoutNodeVariables } from '../../../src/kit/environment.ts';
import { expectControllerImage } from './controller-image.ts';
import { expectFetched, type Slipway } from './fetched.ts';

export const about =
  'both programs for arm64, built on x64, work: QEMU runs them, or this machine where it is one for arm64';

/** Where it needs no lab, and takes the programs of `npm run build -- --all`. */
export const alsoOn = 'linux-arm64';

const USER_DATA = `#cloud-config
slipway: {kubeadm: none}
write_files:
- {path: /etc/motd, content: "arm64\\n", owner: "0:0", permissions: "0640"}
`;

export async function run(say: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-arm64-'));
  try {
    const binary = join(folder, 'slipway');
    mkdirSync(join(folder, 'dist'));
    const controller = join(folder, 'dist/slipway-controller-linux-arm64');
    const isHere = process.arch === 'arm64';
    for (const line of await (isHere ? take : make)(binary, controller))
      assert.match(line, new RegExp(` ${projectVersion()} .*, linux-arm64\\)$`));
    say(`both are ${isHere ? 'there' : 'built'}, and say what they are`);
    const slipway = programOf(binary);
    await expectWork(slipway, folder);
    say('plan, bootstrap and status do as on x64');
    await expectFetched(slipway, folder);
    say('it fetches over HTTPS and HTTP, and applies what is included to an image');
    if (isHere) return;
    writeFileSync(join(folder, 'dist/slipway-controller-linux-x64'), 'for amd64');
    await expectControllerImage(folder, say);
    say("the controller's image for both platforms has a program for each, which runs there");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns what they say of themselves */
async function make(binary: string, controller: string): Promise<string[]> {
  const [bundle, licenses] = ['slipway.cjs', 'LICENSES.txt'].map((name) => join(dirname(binary), name)) as [
    string,
    string,
  ];
  return [
    await buildBinary('linux-arm64', { binary, bundle, licenses }),
    await buildController('linux-arm64', controller),
  ];
}

/** What was built on x64 lies in dist/. */
async function take(binary: string, controller: string): Promise<string[]> {
  const said: string[] = [];
  for (const [name, path] of [['slipway', binary] as const, ['slipway-controller', controller] as const]) {
    copyFileSync(distPath(name, 'linux-arm64'), path);
    chmodSync(path, 0o755);
    said.push((await execa(path, ['--version'])).stdout);
  }
  return said;
}

/** Runs the program and gives what it prints. */
function programOf(binary: string): Slipway {
  return async (...words) => {
    const [program = binary, ...rest] = [...runnerOf('linux-arm64'), binary, ...words];
    // QEMU cannot follow a program that begins anew, which ours does where a variable would steer Node.js.
    const env = withoutNodeVariables(process.env) ?? process.env;
    return (await execa(program, rest, { env, extendEnv: false })).stdout;
  };
}

async function expectWork(slipway: Slipway, folder: string): Promise<void> {
  const [root, userData] = [join(folder, 'root'), join(folder, 'user-data')];
  mkdirSync(root);
  writeFileSync(userData, USER_DATA);
  assert.match(await slipway('plan', '--user-data', userData), /\/etc\/motd/);
  const told: unknown = JSON.parse(
    await slipway('bootstrap', '--root', root, '--user-data', userData, '--output', 'json'),
  );
  assert.partialDeepStrictEqual(told, { result: 'succeeded' });
  assert.equal(readFileSync(join(root, 'etc/motd'), 'utf8'), 'arm64\n');
  assert.match(await slipway('status', '--root', root), /bootstrapped in /);
  const board = plant(ARM_BOARD);
  try {
    const facts: unknown = JSON.parse(await slipway('facts', '--root', board, '--output', 'json'));
    assert.partialDeepStrictEqual(facts, {
      cpu: { architecture: 'aarch64', model: 'Cortex-A72', threads: 4 },
      interfaces: [{ speedMbps: 1000 }],
    });
  } finally {
    rmSync(board, { recursive: true });
  }
}

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeTinyRoot } from '../../test/support/tiny-root.ts';
import { nodeBinary, projectVersion, root } from '../project.ts';
import { type Bundle, bundle } from './bundle.ts';

describe('bundle', () => {
  let made: Bundle;
  let folder: string;

  beforeAll(async () => {
    made = await bundle();
    folder = mkdtempSync(join(tmpdir(), 'slipway-bundle-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('holds the agent and its dependencies, nothing of controller, tests or tools', () => {
    expect(made.inputs).toContain('src/agent/engine/run/run-sequence.ts');
    const strangers = made.inputs.filter(
      (path) => !/^(src\/(agent|protocol|kit|pki|secrets|tpm)\/|src\/slipway\.ts$|node_modules\/)/.test(path),
    );
    expect(strangers).toEqual([]);
    // Not the code itself in the assertion: a failure would print all of it.
    expect(made.code.includes('Description=Slipway: bootstrap this machine')).toBe(true);
  });

  it('holds the packages that its rooms name and what these need, and not the HTTP client of the controller', () => {
    const packages = made.inputs.flatMap(
      (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
    );
    expect([...new Set(packages)].sort()).toEqual([
      '@noble/ciphers',
      '@noble/curves',
      '@noble/hashes',
      '@noble/post-quantum',
      '@scure/base',
      'age-encryption',
      'commander',
      'js-yaml',
      'smol-toml',
    ]);
  });

  it('of the reporter alone is a part of the agent, two fifths of its size at most', async () => {
    const reporter = await bundle({ entry: 'src/slipway-report.ts' });
    const own = 'src/slipway-report.ts';
    expect(reporter.inputs.filter((path) => !made.inputs.includes(path))).toEqual([own]);
    // Diagnosis is 90 kB of it: the reporter reads kubeadm's words with the same eyes as the steps and `diagnose`.
    expect(reporter.code.length).toBeLessThan((made.code.length * 2) / 5);
  });

  it('needs nothing but modules of Node.js', () => {
    const outside = Object.values(made.metafile.outputs).flatMap((output) => output.imports);
    expect(outside.map(({ path }) => path).filter((path) => !path.startsWith('node:'))).toEqual(
      outside.map(({ path }) => path).filter((path) => NODE_MODULES_BY_OLD_NAME.includes(path)),
    );
  });

  it('imports nothing by itself, which a script in the binary cannot', async () => {
    const { code } = await bundle({ minify: false });
    expect(code).toContain('require("node:https")');
    expect(code).not.toMatch(/\bimport\(["']/);
  });

  it('shows no folder of the machine that built it', () => {
    expect(made.code).not.toContain(root);
    expect(made.code).not.toContain(`${homedir()}/`);
  });

  it('is the same every time', async () => {
    // Not toBe on the code itself: a failure would print all of it.
    expect((await bundle()).code === made.code).toBe(true);
  });

  it('evaluates only what the version needs', async () => {
    const readable = await bundle({ minify: false });
    const script = join(folder, 'readable.cjs');
    writeFileSync(script, readable.code);
    const { output, evaluated } = runAndSeeModules(script, ['version']);
    expect(output).toContain(projectVersion());
    expect(evaluated).toEqual([
      'src/agent/cli/process/crash.ts',
      'src/agent/cli/process/version.ts',
      'src/agent/cli/program.ts',
      'src/kit/errors.ts',
      // Last words hold nothing that a terminal acts upon.
      'src/kit/terminal/visible.ts',
    ]);
    expect(runAndSeeModules(script, ['explain', 'Unclassified']).evaluated).toContain(
      'src/protocol/codes/codes.ts',
    );
  });

  it('bootstraps files and commands without the slow modules of Node.js, and without the steps it does not have', () => {
    const script = join(folder, 'agent.cjs');
    const userData = join(folder, 'user-data');
    const { path: root, remove } = makeTinyRoot();
    onTestFinished(remove);
    // Only root may use chroot.
    const commands = process.getuid?.() === 0 ? 'runcmd: ["echo done >/log"]\n' : '';
    const [told, tell] = [join(folder, 'loaded'), join(folder, 'tell.cjs')];
    writeFileSync(script, made.code);
    writeFileSync(
      userData,
      `#cloud-config\nslipway: {kubeadm: none}\nwrite_files: [{path: /etc/a, content: b, owner: "0:0"}]\n${commands}`,
    );
    writeFileSync(
      tell,
      'process.on("exit", () => require("fs").writeFileSync(process.env.TOLD, JSON.stringify(process.moduleLoadList)));',
    );
    const words = ['bootstrap', '--root', root, '--user-data', userData, '--output', 'json'];
    const { stdout } = execaSync(nodeBinary(), ['-r', tell, script, ...words], { env: { TOLD: told } });
    const outcome = JSON.parse(stdout);
    expect([outcome.result, outcome.steps[0].id]).toEqual(['succeeded', 'files']);
    if (commands) expect(readFileSync(join(root, 'log'), 'utf8')).toBe('done\n');
    const loaded = JSON.parse(readFileSync(told, 'utf8')) as string[];
    const slow = ['http', 'https', 'os', 'perf_hooks', 'tls', 'v8'];
    expect(loaded.filter((name) => slow.includes(name.replace('NativeModule ', '')))).toEqual([]);
  });

  it('plans files and commands without the command line library and without the rules of kubeadm', async () => {
    const [script, userData] = [join(folder, 'readable.cjs'), join(folder, 'plan-data')];
    writeFileSync(script, (await bundle({ minify: false })).code);
    writeFileSync(userData, '#cloud-config\nslipway: {kubeadm: none}\nruncmd: [echo a]\n');
    const { output, evaluated } = runAndSeeModules(script, ['plan', '--user-data', userData]);
    expect(output).toContain('echo a');
    const slow = /^node_modules\/|^src\/agent\/(kubeadm\/config\/api|preflight\/check-document)/;
    expect(evaluated.filter((path) => slow.test(path))).toEqual([]);
  });

  /** Runs a readable bundle and asks V8 which of the functions that esbuild wraps modules in were called. */
  function runAndSeeModules(script: string, words: string[]): { output: string; evaluated: string[] } {
    const coverage = mkdtempSync(join(folder, 'coverage-'));
    const { stdout: output } = execaSync(nodeBinary(), [script, ...words], {
      env: { NODE_V8_COVERAGE: coverage },
    });
    const evaluated = readdirSync(coverage).flatMap((name) => {
      const report = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as CoverageReport;
      const functions = report.result
        .filter(({ url }) => url.endsWith('/readable.cjs'))
        .flatMap(({ functions }) => functions);
      return functions
        .filter(
          ({ functionName, ranges }) =>
            /^(src|node_modules)\//.test(functionName) && (ranges[0]?.count ?? 0) > 0,
        )
        .map(({ functionName }) => functionName);
    });
    return { output, evaluated: evaluated.sort() };
  }
});

/** Node.js's own modules that dependencies call without `node:`. */
const NODE_MODULES_BY_OLD_NAME = ['process', 'buffer'];

/** The part of V8's coverage format that is read here. */
interface CoverageReport {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

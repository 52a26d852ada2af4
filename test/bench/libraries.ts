import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { execa, execaSync } from 'execa';
import { nodeBinary, root } from '../../build/project.ts';
import { CONTESTS, type Contest } from './libraries/contests.ts';
import { interleave } from './measure/interleave.ts';
import { measure } from './measure/measure.ts';

// npm run node -- test/bench/libraries.ts FOLDER [CONTEST]...: what a library would add to the bundle and to each start, for the
// pages in docs/decisions. FOLDER has the libraries: npm i --prefix FOLDER valibot zod typebox ajv undici execa ...
const RUNS = 41;
const USER_DATA = join(root, 'src/agent/userdata/fixtures/init.yaml');
const [folder, ...names] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('usage: npm run node -- test/bench/libraries.ts FOLDER [CONTEST]...');

const scratch = mkdtempSync(join(tmpdir(), 'slipway-libraries-'));
const server = await startServer();
try {
  for (const [name, contest] of Object.entries(CONTESTS)) {
    if (names.length === 0 || names.includes(name)) await hold(name, contest);
  }
} finally {
  server.process.kill();
  rmSync(scratch, { recursive: true, force: true });
}

async function hold(name: string, contest: Contest): Promise<void> {
  const scripts = await Promise.all(
    Object.entries({ nothing: '', ...contest.entries }).map(async ([label, code]) => {
      const file = join(scratch, `${name}-${label.replaceAll(/\W/g, '_')}.cjs`);
      const bytes = await bundleTo(
        file,
        code.replaceAll('URL', server.url).replaceAll('USER_DATA', USER_DATA),
      );
      return { label, file, bytes };
    }),
  );
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: server.certificate };
  const standings = await interleave(
    scripts.map(({ label, file }) => ({ label, run: () => measure([nodeBinary(), file], { env }) })),
    RUNS,
  );
  console.log(
    `\n${name}: ${contest.about} (medians of ${RUNS} interleaved runs, over a script that does nothing)`,
  );
  const [base] = standings;
  console.table(
    Object.fromEntries(
      standings.map(({ label, wallMs, cpuMs, peakMib }, index) => [
        label,
        {
          'bundle, kB': ((scripts[index]?.bytes ?? 0) / 1000).toFixed(1),
          'wall, ms': (wallMs - (base?.wallMs ?? 0)).toFixed(1),
          'CPU, ms': (cpuMs - (base?.cpuMs ?? 0)).toFixed(1),
          'peak, MiB': (peakMib - (base?.peakMib ?? 0)).toFixed(1),
        },
      ]),
    ),
  );
}

/** Bundles as the product is bundled; packages come from `folder`, `ours/` is the same work by this project. */
async function bundleTo(file: string, code: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder ?? '.', loader: 'ts' },
    alias: { ours: join(import.meta.dirname, 'libraries/ours') },
    bundle: true,
    minify: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    logLevel: 'error',
  });
  const text = outputFiles[0]?.text ?? '';
  writeFileSync(file, text);
  return text.length;
}

/** An HTTPS server in a process of its own: `measure` blocks this one. */
async function startServer() {
  const [key, certificate] = [join(scratch, 'key.pem'), join(scratch, 'certificate.pem')];
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-days', '1', '-subj', '/CN=bench', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execaSync('openssl', [...words, ...names, '-keyout', key, '-out', certificate]);
  const code = `
    const { readFileSync } = require('node:fs');
    const [key, cert] = process.argv.slice(1).map((path) => readFileSync(path));
    const server = require('node:https').createServer({ key, cert }, (_, answer) => answer.end('{"ok":true}'));
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = execa(nodeBinary(), ['-e', code, key, certificate], { reject: false, stderr: 'inherit' });
  const { value: port } = await child[Symbol.asyncIterator]().next();
  return { process: child, certificate, url: `https://127.0.0.1:${port}/` };
}

import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Diagnostics } from '../../../src/agent/text/diagnostics.ts';
import { plainText, type SourceText } from '../../../src/agent/text/source-text.ts';
import { Builder } from '../../../src/agent/text/yaml/builder.ts';
import { parseYaml } from '../../../src/agent/text/yaml/parse.ts';
import { checkText } from '../../../src/agent/text/yaml/scan/text-rules.ts';
import type { YamlNode } from '../../../src/agent/text/yaml/yaml-node.ts';
import { plainValue } from '../../../src/agent/userdata/fixtures/plain-value.ts';
import { yamlExamples } from '../../../src/agent/userdata/fixtures/read-json.ts';
import { type JsYaml, nodeOfEvents } from './yaml-events.ts';

// npm run node -- test/bench/libraries/yaml-verdicts.ts FOLDER: of the texts in fixtures/yaml.json, how many our reader and js-yaml
// read as PyYAML does; with --list, the others. FOLDER has the library: npm i --prefix FOLDER js-yaml
const [folder, list] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('usage: npm run node -- test/bench/libraries/yaml-verdicts.ts FOLDER [--list]');
const library = createRequire(join(resolve(folder), 'x.js'))('js-yaml') as JsYaml;

type Reader = (source: SourceText, diagnostics: Diagnostics) => YamlNode | undefined;

const READERS: Readonly<Record<string, Reader>> = {
  ours: parseYaml,
  'js-yaml': (source, diagnostics) => {
    if (!checkText(source, diagnostics)) return undefined;
    const builder = new Builder(source, diagnostics);
    const built = nodeOfEvents(library, source.text, builder);
    return built === undefined ? { kind: 'null', where: source.locate(0) } : builder.ordinary(built);
  },
};

/** What a reader makes of a text; undefined where it refuses. */
function answer(read: Reader, text: string): { value: unknown } | undefined {
  const diagnostics = new Diagnostics();
  try {
    const node = read(plainText(text.replace(/^\ufeff/, '').replace(/\r\n?|\u0085/g, '\n')), diagnostics);
    return node === undefined || diagnostics.failed ? undefined : { value: plainValue(node) };
  } catch (error) {
    // Both readers refuse by errors with a class of their own.
    if (error instanceof Error && error.name.startsWith('Y')) return undefined;
    throw error;
  }
}

for (const [name, read] of Object.entries(READERS)) {
  const verdicts = {
    'same value': 0,
    'refused alike': 0,
    'only PyYAML reads': 0,
    'only PyYAML refuses': 0,
    'other value': 0,
  };
  for (const { text, value, refused } of yamlExamples()) {
    const got = answer(read, text);
    const verdict = refused
      ? got === undefined
        ? 'refused alike'
        : 'only PyYAML refuses'
      : got === undefined
        ? 'only PyYAML reads'
        : isDeepStrictEqual(got.value, value)
          ? 'same value'
          : 'other value';
    verdicts[verdict] += 1;
    if (list === '--list' && !['same value', 'refused alike'].includes(verdict))
      console.log(name, verdict, JSON.stringify(text));
  }
  console.log(name, verdicts);
}

import type { MappingNode, YamlNode } from '../text/yaml/yaml-node.ts';

const PREFIX = 'slipway.';

/**
 * The settings on a kernel command line: `slipway.report.controller.endpoints=https://a,https://b` stands for the same
 * path in the file. Other words are not ours. Words count from 1 as columns do.
 */
export function readKernelCommandLine(line: string): MappingNode {
  const root = mapping(1);
  for (const { 0: word, index } of line.matchAll(/(?:"[^"]*"|[^\s"])+/g)) {
    if (!word.startsWith(PREFIX)) continue;
    const equals = word.indexOf('=');
    const name = word.slice(PREFIX.length, equals < 0 ? undefined : equals);
    // A word alone switches something on, as with the kernel's own.
    const value = equals < 0 ? 'true' : word.slice(equals + 1).replaceAll('"', '');
    put(root, name.split('.'), value, index + 1);
  }
  return root;
}

function put(into: MappingNode, [key = '', ...rest]: string[], value: string, column: number): void {
  const where = { line: 1, column };
  const found = into.entries.find((entry) => entry.key.kind === 'string' && entry.key.value === key);
  if (rest.length > 0 && found?.value.kind === 'mapping') {
    put(found.value, rest, value, column);
    return;
  }
  let node: YamlNode = { kind: 'string', value, where };
  if (rest.length > 0) {
    node = mapping(column);
    put(node, rest, value, column);
  }
  // The last one counts, as with the kernel's own.
  if (found) found.value = node;
  else into.entries.push({ key: { kind: 'string', value: key, where }, value: node });
}

function mapping(column: number): MappingNode {
  return { kind: 'mapping', entries: [], where: { line: 1, column } };
}

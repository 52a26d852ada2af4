import { pythonText, type YamlNode } from './yaml-node.ts';

/** The values without their places; keys become strings, bytes become base64. */
export function plainValue(node: YamlNode): unknown {
  switch (node.kind) {
    case 'sequence':
      return node.items.map(plainValue);
    case 'mapping':
      return Object.fromEntries(
        node.entries.map(({ key, value }) => [pythonText(key) ?? '', plainValue(value)]),
      );
    case 'null':
      return null;
    case 'binary':
      return Buffer.from(node.value).toString('base64');
    default:
      return node.value;
  }
}

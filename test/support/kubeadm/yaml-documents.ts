import { dump, loadAll, mergeTag, YAML11_SCHEMA } from 'js-yaml';

/** The documents of a YAML text, by another reader than that of the agent. */
export function yamlDocuments(text: string): Record<string, unknown>[] {
  return loadAll(text, { schema: YAML11_SCHEMA.withTags(mergeTag) }) as Record<string, unknown>[];
}

/** A YAML text with these documents. */
export function yamlText(...documents: object[]): string {
  return documents.map((document) => `---\n${dump(document)}`).join('');
}

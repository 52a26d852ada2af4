/** A JSON value with the offsets of its first character and of what follows it. */
export type JsonNode = JsonScalar | JsonArray | JsonObject;

interface Span {
  start: number;
  end: number;
}

type JsonScalar = Span &
  (
    | { kind: 'null' }
    | { kind: 'boolean'; value: boolean }
    /** As it was written. */
    | { kind: 'number'; text: string }
    | { kind: 'string'; value: string }
  );

export interface JsonArray extends Span {
  kind: 'array';
  items: JsonNode[];
}

export interface JsonObject extends Span {
  kind: 'object';
  /** In the order of the text, duplicates included. */
  members: JsonMember[];
}

export interface JsonMember {
  key: string;
  /** Offset of the key's quotation mark. */
  keyStart: number;
  value: JsonNode;
}

/** The kind of a value, in words for people. */
export function describeJson({ kind }: JsonNode): string {
  const names: Record<JsonNode['kind'], string> = {
    null: 'null',
    boolean: 'a boolean',
    number: 'a number',
    string: 'a string',
    array: 'a list',
    object: 'an object',
  };
  return names[kind];
}

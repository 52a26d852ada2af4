import type { Shape } from '../../text/shape/shape.ts';
import { API_VERSION, DOCUMENT_SHAPE } from './shapes.ts';

type Json = Record<string, unknown>;

/** JSON Schema (draft 2020-12) of the one document, from the same table that Slipway reads it by. */
export function jsonSchema(): Json {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `https://slipway.dev/schemas/${API_VERSION.split('/')[1] ?? ''}/user-data.json`,
    title: 'Slipway user data',
    description: 'The desired state of a machine, in one form for all user-data formats.',
    ...schemaOf(DOCUMENT_SHAPE),
  };
}

function schemaOf(shape: Shape): Json {
  switch (shape.kind) {
    case 'text':
      return {
        type: 'string',
        ...(shape.only === undefined ? {} : { enum: [...shape.only] }),
        ...(shape.like === undefined ? {} : { pattern: shape.like.source }),
      };
    case 'whole':
      return { type: 'integer', ...(shape.min === undefined ? {} : { minimum: shape.min }) };
    case 'bool':
      return { type: 'boolean', ...(shape.only === undefined ? {} : { const: shape.only }) };
    case 'nothing':
      return { type: 'null' };
    case 'anything':
    case 'old':
      return {};
    case 'list':
      return {
        type: 'array',
        items: schemaOf(shape.items),
        ...(shape.min > 0 ? { minItems: shape.min } : {}),
        ...(shape.max === undefined ? {} : { maxItems: shape.max }),
        ...(shape.unique ? { uniqueItems: true } : {}),
      };
    case 'map':
      return {
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(
          Object.entries(shape.keys).map(([key, inner]) => [key, schemaOf(inner)]),
        ),
        ...(shape.required.length > 0 ? { required: [...shape.required] } : {}),
        ...(shape.min > 0 ? { minProperties: shape.min } : {}),
      };
    case 'table':
      return { type: 'object', additionalProperties: schemaOf(shape.values) };
    case 'either':
      return { anyOf: shape.of.map(schemaOf) };
  }
}

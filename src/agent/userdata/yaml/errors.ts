import type { ErrorCode } from 'yaml';

/**
 * What the parser's error codes mean, in words of ours: the library's own messages quote the text around the error,
 * which may be a private key.
 */
const WORDS: Record<ErrorCode, string> = {
  ALIAS_PROPS: 'An alias (*name) cannot have an anchor or a tag.',
  BAD_ALIAS: 'The name of an anchor or alias is not allowed.',
  BAD_COLLECTION_TYPE: 'The tag does not fit this list or mapping.',
  BAD_DIRECTIVE: 'The % directive is not known; a value that begins with % must be quoted.',
  BAD_DQ_ESCAPE:
    'The double-quoted string has an unknown escape after a backslash; use single quotes, or double the backslash.',
  BAD_INDENT: 'The indentation does not fit the lines above.',
  BAD_PROP_ORDER: 'Anchors and tags must stand after the - or ? or : before them.',
  BAD_SCALAR_START: 'A plain value cannot begin with this character; put it in quotes.',
  BLOCK_AS_IMPLICIT_KEY:
    'A nested mapping cannot begin on the line of its key; a value that holds ": " must be quoted.',
  BLOCK_IN_FLOW: 'A block list or mapping cannot stand inside [ ] or { }.',
  DUPLICATE_KEY: 'The key is there twice.',
  IMPOSSIBLE: 'The structure cannot be understood.',
  KEY_OVER_1024_CHARS: 'The key is longer than 1024 characters; a quote or a bracket is probably not closed.',
  MISSING_CHAR: 'A closing quote or bracket, a comma, or a colon after a key is missing.',
  MULTILINE_IMPLICIT_KEY: 'A key must stand on one line; a colon or a quote is probably missing.',
  MULTIPLE_ANCHORS: 'A value can have only one anchor.',
  MULTIPLE_DOCS: 'There is a second YAML document; cloud-config is one document.',
  MULTIPLE_TAGS: 'A value can have only one tag.',
  NON_STRING_KEY: 'The key must be a string.',
  RESOURCE_EXHAUSTION: 'The aliases stand for more data than is accepted.',
  TAB_AS_INDENT: 'A tab is used for indentation; YAML allows only spaces.',
  TAG_RESOLVE_FAILED: 'The value does not fit its tag, or the tag is unknown.',
  UNEXPECTED_TOKEN: 'Something stands here that YAML does not allow at this place.',
};

/** A sentence for the parser's error code. */
export function syntaxMessage(code: ErrorCode): string {
  return WORDS[code] ?? 'This is not valid YAML.';
}

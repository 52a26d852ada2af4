/**
 * How much user data may cost. The real thing is small (a control plane's document has some 30 kB and 500 nodes); the
 * bounds exist so that nothing that arrives in user data can hang the boot or exhaust memory.
 */

/** Bytes as they come from the source. */
export const MAX_RAW_BYTES = 16 * 1024 * 1024;

/** Bytes after all decompression, of the whole user data and of the contents of files together. */
export const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/** Layers of gzip and base64 around the user data; two is the most that providers make by mistake. */
export const MAX_LAYERS = 4;

/** Parts of a MIME multipart, containers included, and how deep containers may nest. */
export const MAX_MIME_PARTS = 256;
export const MAX_MIME_DEPTH = 8;

/** Depth of nested YAML collections. PyYAML gives up at some 200 to 300, by its own recursion. */
export const MAX_YAML_DEPTH = 128;

/** Lexical tokens of a YAML document (a line of a list has four); bounds the time of parsing to about a second. */
export const MAX_YAML_TOKENS = 400_000;

/** Nodes and characters after every alias has been replaced by what it stands for ("billion laughs"). */
export const MAX_YAML_EXPANDED_NODES = 200_000;
export const MAX_YAML_EXPANDED_CHARS = MAX_DECODED_BYTES;

/** Evaluation steps of a jinja template, and characters that it may produce. */
export const MAX_JINJA_STEPS = 500_000;
export const MAX_JINJA_OUTPUT = MAX_DECODED_BYTES;

/** Depth of nested expressions and blocks in a jinja template. */
export const MAX_JINJA_DEPTH = 100;

/** Entries that are listed one by one; the rest is counted. */
export const MAX_REPORT_ENTRIES = 100;

/** Characters of one jinja tag, tokens of a template, and operators or filters one behind the other. */
export const MAX_JINJA_TAG = 64 * 1024;
export const MAX_JINJA_TOKENS = 200_000;
export const MAX_JINJA_CHAIN = 500;

/** Characters of the headers of a MIME part. */
export const MAX_MIME_HEADERS = 64 * 1024;

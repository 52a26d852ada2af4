/**
 * Bounds on what user data may cost, so that no user data hangs the boot or exhausts memory. Real user data
 * is small: a control plane's document has some 30 kB and 500 nodes.
 */

/** Bytes as they come from the source. */
export const MAX_RAW_BYTES = 16 * 1024 * 1024;

/** Bytes of the whole user data and all file contents together, after decompression. */
export const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/** Layers of gzip and base64 around the user data; providers add two at most by mistake. */
export const MAX_LAYERS = 4;

/** Parts of a MIME multipart including containers, and the nesting depth of containers. */
export const MAX_MIME_PARTS = 256;
export const MAX_MIME_DEPTH = 8;

/** Depth of nested YAML collections. PyYAML fails at some 200 to 300, because it recurses. */
export const MAX_YAML_DEPTH = 128;

/** Lexical tokens of a YAML document (a list's line has four); bounds parsing to about a second. */
export const MAX_YAML_TOKENS = 400_000;

/** Nodes and characters when every alias is replaced by its anchor's value ("billion laughs"). */
export const MAX_YAML_EXPANDED_NODES = 200_000;
export const MAX_YAML_EXPANDED_CHARS = MAX_DECODED_BYTES;

/** Evaluation steps of a jinja template, and characters of its result. */
export const MAX_JINJA_STEPS = 500_000;
export const MAX_JINJA_OUTPUT = MAX_DECODED_BYTES;

/** Depth of nested expressions and blocks in a jinja template. */
export const MAX_JINJA_DEPTH = 100;

/** Entries that are listed one by one; further ones are only counted. */
export const MAX_REPORT_ENTRIES = 100;

/** Characters of one jinja tag, tokens of a template, and operators or filters in a row. */
export const MAX_JINJA_TAG = 64 * 1024;
export const MAX_JINJA_TOKENS = 200_000;
export const MAX_JINJA_CHAIN = 500;

/** Characters of the headers of a MIME part. */
export const MAX_MIME_HEADERS = 64 * 1024;

/** Names in one path, and in the paths of all files, directories and links together. A node's document has some hundred. */
export const MAX_PATH_DEPTH = 256;
export const MAX_PATH_NAMES = 200_000;

/** Bounds on what user data may draw in beside itself. */

/** Addresses behind `#include`, those of included texts among them. */
export const MAX_INCLUDES = 64;

/** Texts that include one another. */
export const MAX_INCLUDE_DEPTH = 8;

/** Parts of all archives and multiparts together. */
export const MAX_PARTS = 512;

/** Seconds that one server may take for one answer. */
export const INCLUDE_SECONDS = 30;

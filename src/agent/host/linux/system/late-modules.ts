/**
 * Modules of Node.js that take milliseconds to load, together as long as a whole bootstrap's files take to write. They
 * are asked for where they are used, so that a command which starts no program does without.
 */
export const childProcess = () => process.getBuiltinModule('node:child_process');
export const os = () => process.getBuiltinModule('node:os');

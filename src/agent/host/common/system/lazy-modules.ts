/**
 * Modules of Node.js that take milliseconds to load; together they take as long as writing all files of a
 * bootstrap. Each loads on first use, so that a command which starts no program does not pay for it.
 */
export const childProcess = () => process.getBuiltinModule('node:child_process');
export const os = () => process.getBuiltinModule('node:os');

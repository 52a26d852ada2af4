/** Modules of Node.js that compute and touch nothing. All others reach the machine. */
export const PURE_MODULES: readonly string[] = [
  'assert',
  'assert/strict',
  'buffer',
  'crypto',
  'events',
  'path',
  'path/posix',
  'path/win32',
  'querystring',
  'sea',
  'stream',
  'stream/consumers',
  'stream/promises',
  'stream/web',
  'string_decoder',
  'url',
  'util',
  'zlib',
];

/** What computes and touches nothing in modules that do. */
export const PURE_NAMES: Readonly<Record<string, readonly string[]>> = {
  net: ['BlockList', 'isIP', 'isIPv4', 'isIPv6', 'SocketAddress'],
  os: ['constants', 'EOL'],
};

/** What a file without `machine` may not call by name: the network, and a way to any module of Node.js. */
export const MACHINE_GLOBALS: readonly string[] = ['fetch', 'WebSocket', 'EventSource', 'getBuiltinModule'];

/** Members of `process` that change or read what belongs to the machine. */
export const MACHINE_MEMBERS_OF_PROCESS: readonly string[] = [
  'chdir',
  'cwd',
  'dlopen',
  'env',
  'execve',
  'initgroups',
  'kill',
  'loadEnvFile',
  'setegid',
  'seteuid',
  'setgid',
  'setgroups',
  'setuid',
  'umask',
];

/** Ways to modules of ours that no import shows. Refused everywhere, so that what the walls see is all there is. */
export const HIDDEN_IMPORTS: readonly string[] = ['require', 'createRequire'];

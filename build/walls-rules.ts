/**
 * The rooms of the source tree and the walls between them, as data. A file belongs to the room with the longest
 * matching path; it may import its own room and the rooms that its own names. A folder without a room is refused.
 */
export interface Room {
  /** Rooms that it may import besides itself. */
  readonly imports: readonly string[];
  /** Packages of package.json's dependencies that it may import; none when absent. */
  readonly packages?: readonly string[];
  /** May use modules and globals of Node.js that reach the machine or the network. */
  readonly machine?: true;
}

/** What both programs are built from, and what knows neither of them. */
const SHARED = ['src/protocol', 'src/kit', 'src/tpm', 'src/pki'];

/** Rooms of the controller by their names in it. */
function controller(...names: string[]): string[] {
  return names.map((name) => `src/controller/${name}`);
}

export const ROOMS: Readonly<Record<string, Room>> = {
  'src/protocol': { imports: [] },
  'src/kit': { imports: ['src/protocol'], packages: ['commander'] },
  'src/tpm': { imports: ['src/protocol', 'src/kit'] },
  'src/pki': { imports: ['src/protocol', 'src/kit'] },

  // Everything in the agent gets a Host; which one it is, only a command decides.
  'src/slipway.ts': { imports: ['src/agent/cli'] },
  'src/slipway-report.ts': { imports: ['src/agent/cli'] },
  'src/agent/cli': {
    imports: [...SHARED, 'src/agent', 'src/agent/document', 'src/agent/host', 'src/agent/host/linux'],
    packages: ['commander'],
  },
  'src/agent': {
    imports: [...SHARED, 'src/agent/document', 'src/agent/host'],
    packages: ['smol-toml', 'yaml'],
  },
  'src/agent/document': { imports: ['src/protocol', 'src/kit'] },
  'src/agent/host': { imports: ['src/protocol', 'src/kit', 'src/agent/document'], machine: true },
  'src/agent/host/linux': {
    imports: ['src/protocol', 'src/kit', 'src/agent/document', 'src/agent/host'],
    machine: true,
  },

  // A server has no machine to set up and lies behind no Host. What it is told and decides (machines, attest, model ...)
  // computes; these serve, store and ask.
  'src/slipway-controller.ts': { imports: ['src/controller/cli'], machine: true },
  'src/controller/log.ts': { imports: ['src/kit'] },
  'src/controller/model': { imports: ['src/protocol', 'src/kit'] },
  'src/controller/web': { imports: [], machine: true },
  'src/controller/kube': { imports: ['src/kit'], packages: ['undici', 'yaml'], machine: true },
  'src/controller/store': {
    imports: ['src/protocol', 'src/kit', ...controller('kube', 'model')],
    machine: true,
  },
  'src/controller/attest': { imports: ['src/protocol', 'src/pki', ...controller('kube', 'model', 'store')] },
  'src/controller/machines': {
    imports: ['src/protocol', 'src/kit', ...controller('attest', 'kube', 'log.ts', 'model', 'store', 'web')],
  },
  'src/controller/ingest': {
    imports: ['src/protocol', ...controller('attest', 'log.ts', 'model', 'store', 'web')],
    machine: true,
  },
  'src/controller/serve': {
    imports: [
      'src/pki',
      ...controller('attest', 'ingest', 'kube', 'log.ts', 'machines', 'model', 'store', 'web'),
    ],
    machine: true,
  },
  'src/controller/cli': {
    imports: [
      'src/protocol',
      'src/kit',
      'src/pki',
      ...controller('attest', 'kube', 'log.ts', 'model', 'serve', 'store'),
    ],
    packages: ['commander'],
    machine: true,
  },
};

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
  'stream/promises',
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

/** Tests and what only they use stand beside the sources; they are free, and no source may import them. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.includes('/fixtures/');
}

import { basename, dirname } from 'node:path';
import { CONTROLLER } from './controller.ts';

/**
 * The rooms of the source tree and the walls between them, as data. A file belongs to the room with the longest
 * matching path; it may import its own room and the rooms that its own names. A folder without a row is refused.
 */
export interface Room {
  /** Rooms that it may import besides itself. */
  readonly imports: readonly string[];
  /** Packages of package.json's dependencies that it may import; none when absent. */
  readonly packages?: readonly string[];
  /** May use modules and globals of Node.js that reach the machine or the network. */
  readonly machine?: true;
}

/** Sources that one folder may hold directly. */
export const LARGEST_FOLDER = 15;

/** The errors that extend one of JavaScript, with their file: the brand, and what crosses the wire and so imports nothing. */
export const BRANDS: Readonly<Record<string, string>> = {
  ExpectedError: 'src/kit/errors.ts',
  WireError: 'src/protocol/wire.ts',
};

/** What both programs are built from, and what knows neither of them. */
const SHARED = [
  'src/protocol',
  'src/kit',
  'src/pki',
  'src/tpm',
  'src/tpm/commands',
  'src/tpm/crypto',
  'src/tpm/evidence',
  'src/tpm/objects',
  'src/tpm/sealing',
  'src/tpm/wire',
];

/**
 * The agent's rooms, each with what it may import: its own rooms, `kit`, `protocol`, `pki` and `tpm` of src, and packages
 * of npm; `MACHINE` touches the machine. Read it as the house's plan: what stands in nobody's row is nobody's business.
 */
const AGENT: Readonly<Record<string, string>> = {
  again: `kit protocol document engine host kubeadm/config kubeadm/repeat steps steps/commands steps/kind steps/tools tpm/sealing`,
  bootstrap: `kit protocol again document engine engine/run facts/judge host network preflight sealed secrets startup steps steps/kind
    steps/kubeadm userdata userdata/instance userdata/sources wipe`,
  apply: 'protocol document host steps steps/kind stores/reference',
  check: 'kit protocol check/rule check/rules document tpm/sealing',
  'check/rule': 'check/shell document userdata',
  'check/rules': 'check/rule check/shell document stores/reference',
  'check/shell': '',
  cli: `again identity/tpm kit protocol bootstrap cli/authors cli/facts cli/options cli/process cli/text cluster collect credential
    diagnosis diagnosis/transcript document engine facts/judge host machine.ts install install/windows kubeadm/config preflight
    preflight/checks release report report/config report/events reset secrets startup steps timeline userdata wipe npm:commander`,
  'cli/authors': `kit apply check check/rule cli/options cli/process cli/text document fetch host machine.ts preflight
    secrets text userdata userdata/cloud-config userdata/forms userdata/instance userdata/native
    userdata/network userdata/sources/contract`,
  'cli/facts': 'kit cli/options cli/text facts facts/reading host machine.ts',
  'cli/options': 'kit host',
  'cli/process': 'kit protocol cli/options collect document engine host machine.ts network steps userdata',
  'cli/shim': `kit protocol bootstrap cli/options cli/process cli/text document engine host machine.ts
    identity/tpm kubeadm/config kubeadm/repeat kubeadm/run secrets steps tpm/sealing userdata`,
  'cli/text': `identity/tpm kit protocol bootstrap check/rule diagnosis diagnosis/transcript diagnosis/words document engine
    host report/watch steps steps/kind npm:commander`,
  cluster: 'kit protocol document host kubeadm/config text text/yaml',
  collect: 'kit document host kubeadm/config secrets',
  credential: `kit pki protocol cluster document engine host identity identity/tpm report/config`,
  diagnosis: `kit protocol diagnosis/attempts diagnosis/causes diagnosis/evidence diagnosis/patterns
    diagnosis/transcript diagnosis/words`,
  'diagnosis/attempts': 'diagnosis/transcript',
  'diagnosis/causes': 'protocol diagnosis/evidence diagnosis/patterns diagnosis/words host',
  'diagnosis/evidence': 'diagnosis/transcript host',
  'diagnosis/patterns': 'protocol',
  'diagnosis/transcript': 'diagnosis/patterns',
  'diagnosis/words': 'kit protocol diagnosis/patterns',
  document: 'kit protocol',
  engine: 'kit protocol document host',
  'engine/run': 'kit protocol engine host',
  facts: 'document host facts/devices facts/machine facts/reading facts/windows',
  'facts/devices': 'host facts/reading',
  'facts/windows': 'host facts/reading',
  'facts/judge': `kit document facts facts/reading host userdata/jinja userdata/jinja/syntax
    userdata/jinja/values`,
  'facts/machine': 'kit facts/reading userdata/instance',
  'facts/reading': 'kit host',
  fetch: 'kit document fetch/objects host',
  'fetch/objects': 'host stores/aws stores/clouds stores/contract userdata/sources/machine',
  host: 'kit tpm MACHINE',
  'host/common': 'kit host MACHINE',
  'host/linux':
    'host host/common host/linux/files host/linux/files/paths host/linux/process host/linux/system MACHINE',
  'host/linux/files': 'host host/common host/linux/files/paths MACHINE',
  'host/linux/files/paths': 'host host/common MACHINE',
  'host/linux/process': 'kit document host host/common host/linux/files host/linux/files/paths MACHINE',
  'host/linux/system': 'tpm host host/common MACHINE',
  'host/windows': 'kit document host host/common MACHINE',
  identity: `kit pki protocol document host identity/tpm report/config tpm tpm/commands tpm/evidence tpm/objects
    tpm/wire`,
  'identity/tpm': `kit protocol document host tpm tpm/commands tpm/crypto tpm/evidence tpm/objects
    tpm/sealing tpm/wire`,
  install: 'kit document host',
  'install/windows': 'document host install',
  'machine.ts': 'host host/linux host/windows',
  kubeadm: 'kit protocol',
  'kubeadm/config': 'kit protocol document host npm:yaml',
  'kubeadm/repeat': 'kit protocol cluster document host kubeadm/config kubeadm/run',
  'kubeadm/run': `kit protocol diagnosis diagnosis/causes diagnosis/evidence diagnosis/words document
    host kubeadm/config`,
  network: 'kit document host network/render secrets startup steps/tools',
  'network/render': 'document',
  preflight: 'kit document host kubeadm/config kubeadm/repeat kubeadm/run preflight/checks',
  'preflight/checks': `kit protocol diagnosis/evidence document facts facts/judge host
    kubeadm/config`,
  release: '',
  report: `kit protocol cluster document engine facts facts/reading host report/config report/events report/spool
    report/transports report/watch`,
  'report/config': 'kit document host text text/yaml',
  'report/events': 'kit protocol host',
  'report/spool': 'protocol document host report/events',
  'report/transports': 'kit protocol host identity identity/tpm report/config report/events',
  'report/watch': `kit protocol cluster facts/reading diagnosis diagnosis/transcript diagnosis/words document engine host
    report/events`,
  reset: 'kit credential document engine host kubeadm/config kubeadm/repeat kubeadm/run',
  sealed: `kit protocol document engine fetch host identity identity/tpm report/config stores stores/contract text
    tpm/commands tpm/sealing tpm/wire userdata wipe`,
  secrets: 'kit protocol document engine host',
  startup: 'protocol host',
  steps: `kit document host steps/accounts steps/boot steps/commands steps/containerd steps/kind steps/kubeadm
    steps/network steps/node steps/storage steps/system steps/tree steps/units steps/volumes text`,
  'steps/accounts': 'kit document engine host steps/kind steps/tools',
  'steps/boot': 'document engine host steps/kind steps/tools',
  'steps/commands': 'kit document engine steps/kind steps/shell',
  'steps/containerd': 'kit document engine host steps/kind steps/tools npm:smol-toml',
  'steps/kind': 'kit protocol document engine host kubeadm/config kubeadm/repeat startup steps/shell',
  'steps/kubeadm': `kit protocol cluster credential report/config diagnosis/words document engine facts/judge host kubeadm/config
    kubeadm/repeat kubeadm/run preflight preflight/checks reset startup
    steps/kind steps/shell`,
  'steps/network': 'kit document network steps/kind steps/tools',
  'steps/node': `kit protocol document engine fetch host kubeadm/config kubeadm/run steps/containerd steps/kind
    steps/system steps/tools stores/contract stores/reference`,
  'steps/shell': 'kit document host',
  'steps/storage': 'kit document engine host startup steps/kind steps/tools',
  'steps/system': 'kit document engine fetch host steps/accounts steps/kind steps/tools',
  'steps/tree': 'kit document engine fetch host steps/kind steps/tools stores/contract stores/reference',
  'steps/units': 'kit document engine host steps/kind steps/tools',
  'steps/volumes': 'kit document engine fetch host steps/kind steps/storage steps/tools stores/contract',
  'steps/tools': `kit protocol document engine host identity/tpm secrets stores stores/contract stores/reference
    tpm/sealing`,
  stores: `kit document fetch stores/age stores/aws stores/clouds stores/contract stores/jwe stores/reference
    stores/vault`,
  'stores/age': 'kit stores/contract',
  'stores/aws': 'host stores/contract stores/reference userdata/sources/client',
  'stores/clouds': 'host stores/contract stores/reference userdata/sources/client',
  'stores/contract': 'kit protocol document host stores/reference userdata/sources/contract',
  'stores/jwe': 'host stores/contract',
  'stores/reference': '',
  'stores/vault': 'kit document host stores/contract stores/reference',
  text: 'kit protocol document',
  'text/yaml': 'kit document text',
  timeline: 'kit protocol',
  'text/shape': 'document text text/yaml',
  userdata: `kit protocol document engine fetch host text text/yaml userdata/cloud-config userdata/decode
    userdata/forms userdata/handed userdata/ignition userdata/instance userdata/jinja userdata/merge
    userdata/network userdata/node userdata/sources userdata/sources/contract userdata/sources/machine
    userdata/native userdata/sealed`,
  'userdata/cloud-config': `kit document kubeadm/config stores/reference text text/shape text/yaml userdata/decode
    userdata/instance userdata/merge userdata/node`,
  'userdata/decode': 'kit document text',
  'userdata/forms': 'kit document fetch host text text/yaml userdata/decode',
  'userdata/handed': 'document userdata/decode userdata/forms',
  'userdata/ignition': `document text userdata/forms userdata/ignition/check userdata/ignition/config
    userdata/ignition/lift userdata/ignition/render userdata/ignition/schema userdata/ignition/translate`,
  'userdata/ignition/check': `document stores/reference text userdata/ignition/schema userdata/ignition/unit
    userdata/ignition/url`,
  'userdata/ignition/config': `text userdata/ignition/check userdata/ignition/json
    userdata/ignition/schema`,
  'userdata/ignition/json': 'kit',
  'userdata/ignition/lift': 'kit document text userdata/cloud-config userdata/ignition/unit',
  'userdata/ignition/render': `document fetch text userdata/forms userdata/ignition/check userdata/ignition/config
    userdata/ignition/schema userdata/ignition/translate`,
  'userdata/ignition/schema': 'document text userdata/ignition/json',
  'userdata/ignition/translate': `kit document fetch/objects stores/reference text userdata/ignition/check userdata/ignition/schema
    userdata/ignition/url`,
  'userdata/ignition/unit': '',
  'userdata/ignition/url': 'kit',
  'userdata/instance': 'document host',
  'userdata/jinja': `text userdata/cloud-config userdata/decode userdata/instance userdata/jinja/filters
    userdata/jinja/syntax userdata/jinja/values`,
  'userdata/jinja/filters': 'text/yaml userdata/jinja/values',
  'userdata/jinja/syntax': 'kit text userdata/jinja/filters userdata/jinja/values',
  'userdata/jinja/values': 'kit text text/yaml',
  'userdata/merge': 'kit document text text/yaml',
  'userdata/native': `kit document host stores/reference text text/shape text/yaml userdata/cloud-config userdata/node
    npm:yaml`,
  'userdata/network': 'kit document host network text text/yaml userdata/decode userdata/instance',
  'userdata/node': `kit protocol document host kubeadm/config stores/reference text text/yaml userdata/jinja/syntax
    userdata/jinja/values`,
  'userdata/sealed': 'kit protocol text text/yaml userdata/decode',
  'userdata/sources': `document host text userdata/instance userdata/sources/azure userdata/sources/channels
    userdata/sources/client userdata/sources/clouds userdata/sources/contract userdata/sources/machine userdata/sources/nocloud
    userdata/sources/openstack`,
  'userdata/sources/azure': `host userdata/sources/client userdata/sources/contract userdata/sources/machine
    userdata/sources/volumes`,
  'userdata/sources/channels': `kit host text userdata/decode userdata/instance userdata/sources/client
    userdata/sources/contract userdata/sources/machine userdata/sources/volumes`,
  'userdata/sources/client': 'kit host text userdata/sources/contract',
  'userdata/sources/clouds': `kit host userdata/instance userdata/sources/client userdata/sources/contract
    userdata/sources/machine`,
  'userdata/sources/contract': 'kit protocol document host text text/yaml userdata/decode userdata/instance',
  'userdata/sources/machine':
    'kit host text text/yaml userdata/instance userdata/sources/client userdata/sources/contract',
  'userdata/sources/nocloud': `host userdata/instance userdata/sources/client userdata/sources/contract
    userdata/sources/machine userdata/sources/volumes`,
  'userdata/sources/openstack': `host userdata/instance userdata/sources/client userdata/sources/contract
    userdata/sources/machine userdata/sources/volumes`,
  'userdata/sources/images': 'host text',
  'userdata/sources/volumes': `document host userdata/sources/contract userdata/sources/images
    userdata/sources/machine`,
  wipe: 'kit protocol document engine host secrets steps',
};

/** The rows of a program's table. Its rooms are those below `place`; `MACHINE` touches the machine. */
function rooms(place: string, table: Readonly<Record<string, string>>): Record<string, Room> {
  const entries = Object.entries(table).map(([name, row]): [string, Room] => {
    const words = row.split(/\s+/).filter((word) => word !== '');
    const packages = words.filter((word) => word.startsWith('npm:')).map((word) => word.slice('npm:'.length));
    const imports = words
      .filter((word) => !word.startsWith('npm:') && word !== 'MACHINE')
      .map((word) => (SHARED.includes(`src/${word}`) ? `src/${word}` : `${place}/${word}`));
    return [
      `${place}/${name}`,
      { imports, packages, ...(words.includes('MACHINE') ? { machine: true } : {}) },
    ];
  });
  return Object.fromEntries(entries);
}

export const ROOMS: Readonly<Record<string, Room>> = {
  'src/protocol': { imports: [] },
  'src/kit': { imports: ['src/protocol'], packages: ['commander'] },
  'src/tpm': { imports: [] },
  'src/tpm/wire': { imports: ['src/kit'] },
  'src/tpm/objects': { imports: ['src/tpm/wire'] },
  'src/tpm/crypto': { imports: ['src/tpm/objects', 'src/tpm/wire'] },
  'src/tpm/commands': {
    imports: ['src/kit', 'src/tpm', 'src/tpm/crypto', 'src/tpm/objects', 'src/tpm/wire'],
  },
  'src/tpm/sealing': {
    imports: ['src/pki', 'src/tpm/crypto', 'src/tpm/evidence', 'src/tpm/objects', 'src/tpm/wire'],
  },
  'src/tpm/evidence': { imports: ['src/kit', 'src/tpm/objects', 'src/tpm/wire'] },
  'src/pki': { imports: ['src/protocol', 'src/kit'] },

  // Everything in the agent gets a Host; which one it is, only a command decides.
  'src/slipway.ts': { imports: ['src/agent/cli', 'src/agent/cli/process', 'src/agent/cli/shim'] },
  'src/slipway-report.ts': { imports: ['src/agent/cli', 'src/agent/cli/process'] },
  ...rooms('src/agent', AGENT),

  'src/slipway-controller.ts': { imports: ['src/kit', 'src/controller/cli'], machine: true },
  ...rooms('src/controller', CONTROLLER),
};

/**
 * Folders that are parts of a room and have no walls of their own, by the folder that they lie in. A folder that is neither here
 * nor a room is refused, so that nobody gets a room by accident.
 */
const PARTS: Readonly<Record<string, string>> = {
  'src/agent/host/common': 'files net process system',
  'src/agent/kubeadm/config': 'api kubelet yaml',
  'src/agent/kubeadm/repeat': 'etcd phases',
  'src/agent/preflight/checks': 'kubernetes machine windows',
  'src/agent/report/watch': 'boot',
  'src/agent/steps/node': 'time',
  'src/agent/steps/system': 'access disk ending local software',
  'src/agent/text/yaml': 'scan',
  'src/agent/userdata/cloud-config': 'accounts commands files shape storage system',
  'src/controller/cli': 'text',
  'src/kit': 'bytes command-line secrets terminal',
  'src/protocol': 'codes',
};

/** Is the folder a room, or a part of one? */
export function isListed(folder: string): boolean {
  const parts = PARTS[dirname(folder)]?.split(' ') ?? [];
  return Object.hasOwn(ROOMS, folder) || parts.includes(basename(folder));
}

/** Tests and what only they use stand beside the sources; they are free, and no source may import them. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.includes('/fixtures/');
}

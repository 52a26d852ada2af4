import { AGENT } from './agent.ts';
import { CONTROLLER } from './controller.ts';

/** The rooms of the source tree and the walls between them, as data. */
interface Room {
  /** Rooms that it may import besides itself. */
  readonly imports: readonly string[];
  /** Packages of package.json's dependencies that it may import. */
  readonly packages: readonly string[];
  /** May use modules and globals of Node.js that reach the machine or the network. */
  readonly machine: boolean;
}

/** Sources that one folder may hold directly. */
export const LARGEST_FOLDER = 15;

/** The errors that extend one of JavaScript, with their file: the brand, and what crosses the wire and so imports nothing. */
export const BRANDS: Readonly<Record<string, string>> = {
  ExpectedError: 'src/kit/errors.ts',
  WireError: 'src/protocol/wire.ts',
};

/** What both programs are built from, and what knows neither of them. */
const SHARED: Readonly<Record<string, string>> = {
  kit: '',
  'kit/bytes': '',
  'kit/command-line': 'kit/terminal npm:commander',
  'kit/sentences': '',
  'kit/terminal': '',
  pki: 'kit',
  'pki/chain': 'kit pki',
  protocol: 'protocol/codes',
  'protocol/check-in': 'protocol',
  'protocol/codes': '',
  secrets: 'kit/terminal',
  tpm: '',
  'tpm/commands': 'kit tpm tpm/crypto tpm/objects tpm/wire',
  'tpm/crypto': 'tpm/objects tpm/wire',
  'tpm/evidence': 'kit pki/chain tpm/objects tpm/wire',
  'tpm/objects': 'tpm/wire',
  'tpm/sealing': 'pki tpm/crypto tpm/evidence tpm/objects tpm/wire',
  'tpm/wire': 'kit',
};

/** The programs, and what only one of them has. */
const ENTRIES: Readonly<Record<string, string>> = {
  'slipway.ts': 'agent/cli agent/cli/process agent/cli/shim',
  'slipway-report.ts': 'agent/cli agent/cli/options agent/cli/process',
  'slipway-controller.ts': 'kit controller/cli MACHINE',
};

/**
 * Each folder with sources is a room and has a row; a file has one where its folder is none. A row names what the room imports:
 * shared rooms and rooms of its own table by name, packages as `npm:NAME`; `MACHINE` touches the machine.
 */
export const ROOMS: Readonly<Record<string, Room>> = {
  ...rooms('src', SHARED),
  ...rooms('src', ENTRIES),
  ...rooms('src/agent', AGENT),
  ...rooms('src/controller', CONTROLLER),
};

function rooms(place: string, table: Readonly<Record<string, string>>): Record<string, Room> {
  return Object.fromEntries(
    Object.entries(table).map(([name, row]): [string, Room] => {
      const words = row.split(/\s+/).filter((word) => word !== '' && word !== 'MACHINE');
      const isPackage = (word: string) => word.startsWith('npm:');
      return [
        `${place}/${name}`,
        {
          imports: words
            .filter((word) => !isPackage(word))
            .map((word) => (Object.hasOwn(SHARED, word) ? `src/${word}` : `${place}/${word}`)),
          packages: words.filter(isPackage).map((word) => word.slice('npm:'.length)),
          machine: row.includes('MACHINE'),
        },
      ];
    }),
  );
}

/** Tests and what only they use stand beside the sources; they are free, and no source may import them. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.includes('/fixtures/');
}

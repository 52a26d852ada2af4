import { digest } from '../../../kit/digest.ts';
import { STATE_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';

/**
 * What Slipway has begun to make on devices that were free: written before the first byte goes to them, so that after a crash
 * it is known to hold nothing of anybody's, and when it is whole it is known as what was asked for.
 */
interface Begun {
  /** The array's or volume's own, which is in the mark on the device too. */
  uuid: string;
  isWhole: boolean;
}

interface BegunNote {
  read(): Promise<Begun | undefined>;
  write(begun: Begun): Promise<void>;
}

/** @param spec what is asked for: another config has another note */
export function begunNote({ files }: Host, kind: 'raid' | 'luks', spec: unknown): BegunNote {
  const path = `${STATE_DIR}/volumes/${kind}-${digest([kind, spec]).slice(0, 16)}.json`;
  return {
    async read() {
      const text = (await files.readIfPresent(path, 4096))?.toString('utf8') ?? '';
      return text === '' ? undefined : (JSON.parse(text) as Begun);
    },
    write: (begun) => files.write(path, `${JSON.stringify(begun)}\n`, { mode: 0o600, parentsMode: 0o700 }),
  };
}

export function isSameUuid(one: string | undefined, other: string | undefined): boolean {
  const plain = (uuid: string) => uuid.toLowerCase().replace(/[^0-9a-f]/g, '');
  return one !== undefined && other !== undefined && plain(one) === plain(other);
}

/** The UUID that options of the config give mdadm or cryptsetup: `--uuid=U`, `--uuid U` or `-u U`. */
export function givenUuid(options: readonly string[]): string | undefined {
  const at = options.findLastIndex((option) => /^(?:--uuid(?:=|$)|-u$)/.test(option));
  const option = options[at];
  if (option === undefined) return undefined;
  return option.includes('=') ? option.slice(option.indexOf('=') + 1) : options[at + 1];
}

import { errorMessage } from '../../../kit/errors.ts';
import { type Host, HostError } from '../../host/host.ts';
import { cleanText } from './clean-text.ts';
import type { Remark } from './facts.ts';

/** One attribute of the kernel fits a page; files of many lines are asked for with more. */
const ATTRIBUTE_BYTES = 4096;
/**
 * For lists of processors. Since Linux 5.19 such a file says that it has the size it would have with all processors that the
 * kernel was built for: 28,672 bytes with 8,192, however few there are.
 */
export const LIST_BYTES = 256 * 1024;
/** No fault of a machine makes more of them; what has thousands of devices has the same one with each. */
const MOST_REMARKS = 100;

/** A file of a driver, which asks its device and may wait for it. */
interface Slow {
  fact: string;
  path: string;
  use: (bytes: Uint8Array) => void;
}

/** How files become facts: each read says which fact it is for, and whatever goes wrong becomes a remark. */
export class FactReader {
  readonly host: Host;
  readonly from: Record<string, string> = {};
  readonly remarks: Remark[] = [];
  readonly #slow: Slow[] = [];

  constructor(host: Host) {
    this.host = host;
  }

  /** Undefined where there is no such file, and where it cannot be read, which is remarked. */
  async bytes(fact: string, path: string, most = ATTRIBUTE_BYTES): Promise<Buffer | undefined> {
    try {
      const found = await this.host.files.readIfPresent(path, most);
      if (found !== undefined && found.length > 0) this.from[fact] ??= general(path);
      return found;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      // What a device has no answer to, the kernel refuses by these; that is an answer.
      if (!['EOPNOTSUPP', 'ENODATA', 'ENODEV', 'ENXIO'].includes(error.errno))
        this.remark(fact, path, reasonOf(error, path));
      return undefined;
    }
  }

  /** A text of many lines, as it stands. */
  async lines(fact: string, path: string, most: number): Promise<string | undefined> {
    return (await this.bytes(fact, path, most))?.toString('utf8');
  }

  /** One text, cleaned. */
  async text(fact: string, path: string): Promise<string | undefined> {
    const bytes = await this.bytes(fact, path);
    return bytes && this.clean(fact, path, bytes);
  }

  clean(fact: string, path: string, bytes: Uint8Array): string | undefined {
    const { value, done } = cleanText(bytes);
    if (done !== undefined) this.remark(fact, path, `it ${done}`);
    if (value === undefined) delete this.from[fact];
    return value;
  }

  /** A whole number that is not negative; -1 is how the kernel says that there is none. */
  async number(fact: string, path: string): Promise<number | undefined> {
    const text = (await this.bytes(fact, path))?.toString('latin1').trim();
    if (text === undefined || text === '' || text === '-1') return undefined;
    if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
    this.remark(fact, path, `it is no number: ${JSON.stringify(text.slice(0, 40))}`);
    delete this.from[fact];
    return undefined;
  }

  async flag(fact: string, path: string): Promise<boolean | undefined> {
    const value = await this.number(fact, path);
    return value === undefined ? undefined : value !== 0;
  }

  /** The name that a link leads to: of a driver, of a device. */
  async linked(path: string): Promise<string | undefined> {
    try {
      const name = (await this.host.files.readlink(path)).split('/').at(-1);
      return name === '' ? undefined : name;
    } catch (error) {
      if (error instanceof HostError) return undefined;
      throw error;
    }
  }

  /** Names in a directory; none where it is missing or cannot be read. */
  async list(fact: string, path: string): Promise<string[]> {
    try {
      return await this.host.files.list(path);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      this.remark(fact, path, reasonOf(error, path));
      return [];
    }
  }

  async has(path: string): Promise<boolean> {
    try {
      return (await this.host.files.stat(path)) !== undefined;
    } catch (error) {
      if (error instanceof HostError) return false;
      throw error;
    }
  }

  /** To be read at the end, by a program that can be left behind if it never answers. */
  later(fact: string, path: string, use: (bytes: Uint8Array) => void): void {
    this.#slow.push({ fact, path, use });
  }

  /** Reads what was put off. */
  async finish(): Promise<void> {
    const present: Slow[] = [];
    for (const slow of this.#slow) if (await this.has(slow.path)) present.push(slow);
    if (present.length === 0) return;
    const answers = await this.host.readSlow(present.map(({ path }) => path));
    for (const [at, { fact, path, use }] of present.entries()) {
      const answer = answers[at] ?? { problem: 'it was not read' };
      if ('problem' in answer) {
        this.remark(fact, path, answer.problem);
      } else if (answer.bytes.length > 0) {
        this.from[fact] ??= general(path);
        use(answer.bytes);
      }
    }
  }

  remark(fact: string, path: string, message: string): void {
    if (this.remarks.length < MOST_REMARKS) this.remarks.push({ fact, path, message });
  }
}

/** Without the path, which a remark has beside it. */
function reasonOf(error: HostError, path: string): string {
  const text = errorMessage(error);
  const start = ['reading ', 'listing ', '']
    .map((verb) => `${verb}${path}`)
    .find((one) => text.startsWith(one));
  const rest = start === undefined ? text : text.slice(start.length);
  return rest.startsWith(': ') ? rest.slice(2) : start === undefined ? rest : `it${rest}`;
}

/** The path for all of a kind: `/sys/block/*`/size stands for that of every disk. */
function general(path: string): string {
  return path.replace(
    /^(\/sys\/(?:block|class\/net|bus\/pci\/devices|devices\/system\/node|class\/tpm)|\/proc\/driver\/nvidia\/gpus)\/[^/]+\//,
    '$1/*/',
  );
}

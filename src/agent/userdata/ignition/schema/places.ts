import type { Position } from '../../../document/document.ts';
import type { SourceText } from '../../../text/source-text.ts';

/** Where something stands: its JSON path, such as `$.storage.files.0.path`, and its line and column. */
interface Place {
  path: string;
  /** In the user data. */
  where?: Position;
  /** What its positions count in, where that is not simply the user data. */
  text: TextName;
}

type TextName = Pick<SourceText, 'note' | 'within'>;

interface Holder {
  path: string;
  where: Position;
  text: TextName;
  children: Map<string, Position>;
}

/** Remembers for each object and list of a config where it and its members stand. */
export class Places {
  readonly #holders = new WeakMap<object, Holder>();

  /** @param text the one in which positions count */
  note(value: object, path: string, where: Position, text: TextName): Map<string, Position> {
    const known = this.#holders.get(value);
    if (known) return known.children;
    const children = new Map<string, Position>();
    this.#holders.set(value, { path, where, text, children });
    return children;
  }

  /** Lets a value that was made of another one stand where that stands. */
  adopt(value: object, from: object): void {
    const holder = this.#holders.get(from);
    if (holder) this.#holders.set(value, holder);
  }

  /** The place of `value`, or of what lies in it behind `keys`; the deepest that is written down gives the line. */
  of(value: object, ...keys: (string | number)[]): Place {
    const holder = this.#holders.get(value);
    if (holder === undefined) return { path: ['$', ...keys].join('.'), text: {} };
    const path = [holder.path, ...keys].join('.');
    const [first] = keys;
    const where = (first === undefined ? undefined : holder.children.get(String(first))) ?? holder.where;
    return { path, where, text: holder.text };
  }
}

import type { Code } from '../../../../protocol/codes/codes.ts';
import type { ConfigDocument } from '../yaml/config-documents.ts';
import { type ConfigProblem, positionOfPath } from './problem.ts';

export type Path = readonly (string | number)[];

/** Looks at the values of one document, and collects what is to be refused. */
export class Rules {
  readonly problems: ConfigProblem[] = [];
  readonly #document: ConfigDocument;
  readonly #root: unknown;

  constructor(document: ConfigDocument) {
    this.#document = document;
    this.#root = document.values;
  }

  /** The value there; undefined where there is none, or null. */
  get(path: Path): unknown {
    let value = this.#root;
    for (const step of path) {
      if (typeof value !== 'object' || value === null) return undefined;
      value = (value as Record<string | number, unknown>)[step];
    }
    return value ?? undefined;
  }

  text(path: Path): string | undefined {
    const value = this.get(path);
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  list(path: Path): unknown[] {
    const value = this.get(path);
    return Array.isArray(value) ? value : [];
  }

  refuse(path: Path, what: string, code: Code = 'KubeadmConfigInvalid'): void {
    const place = positionOfPath(this.#document, path);
    this.problems.push({ severity: 'error', code, message: what, ...place });
  }

  /** Refuses a path that is not absolute. */
  absolute(path: Path): void {
    const value = this.text(path);
    if (value !== undefined && !value.startsWith('/'))
      this.refuse(path, `${path.join('.')} must be an absolute path`);
  }
}

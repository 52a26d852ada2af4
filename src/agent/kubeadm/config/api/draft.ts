/**
 * A configuration on its way from one version of the API to another: plain values, with notes on what gets
 * lost.
 */

import { isValues, type Values } from '../yaml/config-node.ts';

/** Something that the other version cannot say; `path` leads to it in the document of that kind. */
export interface ConversionLoss {
  kind: string;
  path: (string | number)[];
  /** What kubeadm does instead, as the end of a sentence that begins with the field. */
  instead: string;
  /** Going on without it would do something else than the user asked for. */
  fatal?: boolean;
}

/** kubeadm's own documents of a file, by kind, and what came up while changing them. */
export class Draft {
  readonly documents = new Map<string, Values>();
  readonly losses: ConversionLoss[] = [];
  /** Arguments of kubeadm's command line that say what the older version cannot. */
  readonly flags: string[] = [];

  /** The document of that kind, made where there is none. */
  ensure(kind: string): Values {
    const found = this.documents.get(kind) ?? {};
    this.documents.set(kind, found);
    return found;
  }

  lose(kind: string, path: (string | number)[], instead: string, fatal = false): void {
    this.losses.push({ kind, path, instead, ...(fatal ? { fatal } : {}) });
  }
}

/** The mapping at the path; undefined where there is none. */
export function section(values: Values | undefined, ...path: string[]): Values | undefined {
  let here: unknown = values;
  for (const key of path) here = isValues(here) ? here[key] : undefined;
  return isValues(here) ? here : undefined;
}

/** Takes a field out and gives its value; undefined for null, too. */
export function take(values: Values | undefined, key: string): unknown {
  const value = values?.[key];
  if (values !== undefined) delete values[key];
  return value ?? undefined;
}

/** The mapping below `key`, made where there is none. */
export function ensureSection(values: Values, key: string): Values {
  const found = values[key];
  if (isValues(found)) return found;
  const made: Values = {};
  values[key] = made;
  return made;
}

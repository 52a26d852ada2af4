/** What a pattern is: from kubeadm's words to a code, with the particulars in the cause. */

import type { Code } from '../../../protocol/codes/codes.ts';
import type { Persistence } from '../../../protocol/codes/entry.ts';
import type { KubeadmOutput } from './output.ts';

export interface Diagnosis {
  code: Code;
  /** One sentence that names the particulars; the table's general sentence when absent. */
  cause?: string;
  /** Overrides the table's sentence. */
  remedy?: string;
  /** Overrides the table. */
  persistence?: Persistence;
  /** What the sentences say, for those who decide by it: no sentence of ours is ever matched. */
  facts?: Facts;
  /** Line of the output that the diagnosis rests on. */
  evidence: string;
}

export interface Facts {
  /** kubeadm named how the way to the API server fails; a request of our own would tell no more. */
  saysHow?: true;
  /** The unit whose socket was asked, and is not there. */
  runtimeUnit?: 'containerd.service' | 'crio.service';
  /** What answered has said why: nothing that this machine shows knows better. */
  saysWhy?: true;
  /** A certificate that the API server has shown, and that is none of this machine's. */
  ofApiServer?: true;
  /** The CRI plugin complains, which it does in a runtime that runs. */
  fromCriPlugin?: true;
  /** The port that is in use. */
  port?: number;
  /** The others that are. */
  ports?: number[];
  /** kubeadm warned that it asks for the API server through this proxy. */
  warnedOfProxy?: string;
  /** kubeadm warned of swap before it found no kubelet. */
  warnedOfSwap?: true;
  /** The sentence that lists what else is wrong. */
  also?: string;
}

export interface PatternInput {
  output: KubeadmOutput;
}

/** Undefined when it does not apply. */
export type Pattern = (input: PatternInput) => Diagnosis | undefined;

/** A pattern that looks for an expression in the error message. */
export function inError(
  expression: RegExp,
  diagnose: (match: RegExpExecArray, input: PatternInput) => Omit<Diagnosis, 'evidence'>,
  applies: (input: PatternInput) => boolean = () => true,
): Pattern {
  return (input) => {
    if (!applies(input)) return undefined;
    const match = expression.exec(input.output.error);
    if (match === null) return undefined;
    return { ...diagnose(match, input), evidence: lineAround(input.output.error, match.index) };
  };
}

/** The line of `text` that holds position `index`. */
export function lineAround(text: string, index: number): string {
  const start = text.lastIndexOf('\n', index) + 1;
  const end = text.indexOf('\n', index);
  return text.slice(start, end < 0 ? undefined : end).trim();
}

/** Host and port of the first URL or dialled address in a text. */
export function endpointIn(text: string): string | undefined {
  const url = /https?:\/\/([^/\s"'?]+)/.exec(text)?.[1];
  return url ?? /dial tcp (\[[^\]]+\]:\d+|[\w.-]+:\d+)/.exec(text)?.[1];
}

/** The text with exactly one full stop at its end; a text that was cut keeps its dots. */
export function endSentence(text: string): string {
  const trimmed = text.trim().replace(/(?<![.,;:\s])[.,;:\s]+$/, '');
  return trimmed.endsWith('…') ? trimmed : `${trimmed}.`;
}

/** At most `max` characters; of what is longer the middle goes, since Go's errors tell the reason last. */
export function shorten(text: string, max = 300): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (flat.length <= max) return flat;
  const head = flat.slice(0, Math.floor(max * 0.4)).replace(/\s\S*$/, '');
  const tail = flat.slice(head.length - max + 3).replace(/^\S*\s/, '');
  return `${head} … ${tail}`;
}

/** The kubelet's own health port, local control plane addresses and servers of releases are not "the API server". */
export const aboutApiServer = ({ output: { error, phase } }: PatternInput): boolean =>
  !/:(10248|10257|10259|2379|2380)\b|unable to get URL/.test(error) &&
  !(phase === undefined ? OWN_SILENT.test(error) : /wait-control-plane/.test(phase));

/** The first request that kubeadm has for the API server of a new control plane: it did not come up, or ended again. */
export const OWN_SILENT =
  /^could not bootstrap the admin user\b.*: (?:context deadline exceeded$|(?<!proxyconnect tcp: )dial tcp \S+: connect: connection refused)/m;

export const apiServerIn = (input: string): string => {
  const endpoint = endpointIn(input);
  return endpoint === undefined ? 'The API server' : `The API server at ${endpoint}`;
};

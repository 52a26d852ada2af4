import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { Role } from '../lab/lab.ts';
import type { BootOptions } from '../support/machines.ts';

/** What a `case.yaml` says; README.md explains each word. */
export interface CaseFile {
  about: string;
  /** `lab`: the lab's own control plane; an address: of the machine that makes the cluster. */
  cluster?: string;
  /** Texts that must appear in no log, beside the cluster's token and keys. */
  secrets?: string[];
  machines?: Record<string, MachineSpec>;
  steps?: Step[];
  /** Instead of machines, or beside them: roots of Debian to which user data is applied, without a boot. */
  roots?: RootSpec[];
}

export interface RootSpec {
  /** Sizes of block devices in MB: @DISK1@ and so on. */
  disks?: number[];
  /** What is applied to it, one after the other. */
  apply: Apply[];
}

export interface Apply {
  'user-data': string;
  with?: Record<string, string>;
  /** Scripts that run before and after, in the same namespaces. */
  before?: string;
  after?: string;
  /** What steps must answer. Where none of these fails, all steps must be done. Causes are regular expressions. */
  steps?: Record<string, { message?: string; code?: string; cause?: string; retry?: string }>;
  findings?: string[];
  report?: string;
  prints?: string;
  never?: string;
  say?: string;
}

interface MachineSpec {
  role: Role;
  mode: BootOptions['mode'];
  ip?: string;
  'user-data': string;
  with?: Record<string, string>;
  /** When `boot` is over: at `containerd` (the default) it serves CRI, at `init` the basic system is up. */
  up?: 'containerd' | 'init';
  /** What its disk has beside Slipway: path on the machine, file of the case. */
  files?: Record<string, string>;
}

/** A step does one thing (its verb), and says what must come of it. */
export interface Step {
  // verbs
  boot?: string;
  reboot?: string;
  'cut-power'?: string;
  down?: string;
  put?: Record<string, string>;
  run?: string;
  bootstrap?: string;
  wait?: 'verdict';
  kubectl?: string;
  ready?: string[];
  unzstd?: string;
  // how
  on?: string;
  with?: Record<string, string>;
  env?: Record<string, string>;
  deadline?: string;
  // what must come of it
  /** Exit status; default 0, or that of the verdict that is expected. */
  status?: number | 'any';
  prints?: string;
  stdout?: string | string[];
  stderr?: string | string[];
  json?: unknown;
  expect?: Expectation;
  say?: string;
}

/** What the machine's verdict must be. Texts are regular expressions. */
export interface Expectation {
  result?: string;
  status?: number;
  mode?: string;
  code?: string;
  cause?: string;
  message?: string;
  /** The step that failed. */
  step?: string;
  /** Codes of all findings, in order. */
  findings?: string[];
  /** Codes that are among the findings. */
  finds?: string[];
  /** Results of some steps, by id. */
  steps?: Record<string, string>;
  /** Ids of all steps, in order. */
  order?: string[];
  /** Messages that are in the journal as progress. */
  journal?: string[];
  support?: string;
}

const WORDS = {
  case: ['about', 'cluster', 'secrets', 'machines', 'steps', 'roots'],
  root: ['disks', 'apply'],
  apply: [
    ...['user-data', 'with', 'before', 'after', 'steps', 'findings', 'report', 'prints', 'never', 'say'],
  ],
  machine: ['role', 'mode', 'ip', 'user-data', 'with', 'up', 'files'],
  verb: [
    'boot',
    'reboot',
    'cut-power',
    'down',
    'put',
    'run',
    'bootstrap',
    'wait',
    'kubectl',
    'ready',
    'unzstd',
  ],
  step: ['on', 'with', 'env', 'deadline', 'status', 'prints', 'stdout', 'stderr', 'json', 'expect', 'say'],
  expect: [
    ...[
      'result',
      'status',
      'mode',
      'code',
      'cause',
      'message',
      'step',
      'findings',
      'finds',
      'steps',
      'order',
    ],
    ...['journal', 'support'],
  ],
};

/** @throws Error that names a word that is not known, or a step with no verb or two: it would prove nothing */
export function readCase(folder: string): CaseFile {
  const file = join(folder, 'case.yaml');
  return checkCase(load(readFileSync(file, 'utf8')) as CaseFile, file);
}

export function checkCase(content: CaseFile, file: string): CaseFile {
  known(content, WORDS.case, file);
  if (!content.about || !(content.steps?.length || content.roots?.length))
    throw new Error(`${file} needs "about", and "steps" or "roots"`);
  for (const [name, machine] of Object.entries(content.machines ?? {}))
    known(machine, WORDS.machine, `${file}, machine ${name}`);
  for (const root of content.roots ?? []) {
    known(root, WORDS.root, `${file}, roots`);
    for (const apply of root.apply) known(apply, WORDS.apply, `${file}, apply ${apply['user-data']}`);
  }
  content.steps?.forEach((step, index) => {
    const where = `${file}, step ${index + 1}`;
    known(step, [...WORDS.verb, ...WORDS.step], where);
    if (step.expect) known(step.expect, WORDS.expect, where);
    const verbs = WORDS.verb.filter((word) => word in step);
    if (verbs.length !== 1) throw new Error(`${where} needs one verb of ${WORDS.verb.join(', ')}`);
    for (const name of [step.on, step.boot, step.reboot, step['cut-power'], step.down])
      if (name !== undefined && !content.machines?.[name]) throw new Error(`${where}: no machine "${name}"`);
  });
  return content;
}

function known(value: object, words: readonly string[], where: string): void {
  const strange = Object.keys(value ?? {}).find((word) => !words.includes(word));
  if (strange !== undefined)
    throw new Error(`${where}: there is no word "${strange}"; there are: ${words.join(', ')}`);
}

/** A file of the case, or one that all cases share. */
export function fileOf(folder: string, name: string): string {
  const places = [join(folder, name), join(folder, '../common', name)];
  const found = places.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`there is no file ${places.join(' or ')}`);
  return found;
}

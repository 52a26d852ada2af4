import type { Document, Position } from '../document/document.ts';
import { mentionsKubeadmBootstrap } from '../kubeadm/config/invocation.ts';

/** A place in the user data that calls `kubeadm init` or `kubeadm join` and that Slipway does not take over. */
export interface Caller {
  kind: 'command' | 'file' | 'unit';
  /** For people: a path, a unit's name, or which command it is. */
  name: string;
  where?: Position;
}

/** What makes this machine a node without Slipway's own call of kubeadm. */
export interface Callers {
  /** What the calls do; `join` where both verbs occur, because its proof holds for either. */
  verb: 'init' | 'join';
  /** Where the calls stand. Empty: the user data only brings a configuration of kubeadm, for a program of the image. */
  callers: readonly Caller[];
  /** Which of `document.commands` lead to a call: they make it, run a script that does, or start a unit that does. */
  commands: ReadonlySet<number>;
  /** The units that lead to a call. `NAME@.service` stands for all its instances. */
  units: readonly string[];
  /** Paths of the scripts that lead to a call. */
  scripts: readonly string[];
  /** Files that a caller redirects its output to. */
  logs: readonly string[];
  /** A call is left to cron or at, which nobody sees at work before its time comes. */
  isScheduled: boolean;
}

/** `surely`: kubeadm is called, or configured. `maybe`: programs run that nobody has read. `never`: nothing runs at all. */
type Prospect = 'surely' | 'maybe' | 'never';

type Shape = Pick<Document, 'commands' | 'bootCommands' | 'files'> &
  Partial<Pick<Document, 'bootScripts' | 'units'>>;

/** Will this user data make a node? It decides what a bootstrap may call a success. */
export function nodeProspect(document: Shape): Prospect {
  const { commands, bootCommands, bootScripts = [], units = [] } = document;
  if (commands.some(({ kind }) => kind === 'kubeadm')) return 'surely';
  const runs = commands.length + bootCommands.length + bootScripts.length > 0;
  const callers = findCallers(document);
  if (callers !== undefined && (runs || callers.callers.length > 0)) return 'surely';
  return runs || units.some(({ enabled, masked }) => enabled === true && masked !== true) ? 'maybe' : 'never';
}

/** Undefined where no call and no configuration of kubeadm is known, and where Slipway itself calls kubeadm. */
export function findCallers(document: Shape): Callers | undefined {
  if (document.commands.some(({ kind }) => kind === 'kubeadm')) return undefined;
  const places = placesOf(document);
  const leading = leadingPlaces(places);
  const callers = leading.filter(({ calls }) => calls).map(asCaller);
  const verb = verbOf(leading.filter(({ calls }) => calls)) ?? configuredVerb(document);
  if (verb === undefined) return undefined;
  const units = leading.flatMap((place) => (place.kind === 'unit' ? [place.name] : []));
  return {
    verb,
    callers,
    commands: new Set(leading.flatMap(({ index }) => index ?? [])),
    units: [...new Set([...units, ...startedByCommands(leading)])].slice(0, MOST_UNITS),
    scripts: leading.flatMap((place) => (place.kind === 'file' ? [place.name] : [])),
    logs: [...new Set(leading.flatMap(({ text }) => redirections(text)))].slice(0, MOST_LOGS),
    isScheduled: leading.some(
      ({ kind, name, text }) => (kind === 'file' && CRON.test(name)) || (kind === 'command' && AT.test(text)),
    ),
  };
}

interface Place extends Caller {
  text: string;
  /** Among `document.commands`. */
  index?: number;
  /** It runs by itself or by another place; a text that only mentions kubeadm is none. */
  runs: boolean;
  calls: boolean;
}

const CRON = /^(?:\/etc\/cron|\/var\/spool\/cron)/;
/** As a command, with what follows it: the word `at` alone stands in many a sentence. */
const AT =
  /(?:^|[;&|(\n])[ \t]*(?:sudo[ \t]+)?(?:at[ \t]+(?:-[fmqt]\b|now\b|\d|noon\b|midnight\b|teatime\b|tomorrow\b|next\b)|batch[ \t]*(?:$|[;&|)\n<]|-)|crontab[ \t]+(?!-[lr]\b))/;
/** No user data of a node has more of them; each is asked for, again and again. */
const MOST_UNITS = 32;
const MOST_LOGS = 8;
const SYSTEMD_UNIT =
  /^(?:\/(?:etc|run|usr\/lib|usr\/local\/lib|lib)\/systemd\/system)\/([^/]+\.[a-z]+)(?:\.d\/[^/]+\.conf)?$/;
const RUN_BY_OTHERS =
  /^(?:\/etc\/cron|\/var\/spool\/cron|\/var\/lib\/cloud\/scripts\/|\/etc\/rc\.local$|\/etc\/init\.d\/)/;

function placesOf({ commands, bootCommands, bootScripts = [], files, units = [] }: Shape): Place[] {
  const places: Place[] = [];
  const add = (kind: Caller['kind'], name: string, text: string, more: Partial<Place> = {}): void => {
    places.push({ kind, name, text, runs: true, calls: mentionsKubeadmBootstrap(text), ...more });
  };
  const placed = (where: Position | undefined) => (where === undefined ? {} : { where });
  const shells = (list: string, entries: Shape['commands'], isOnce = false): void => {
    for (const [index, entry] of entries.entries()) {
      if (entry.kind !== 'command') continue;
      const more = { ...placed(entry.where), ...(isOnce ? { index } : {}) };
      add('command', `${list} ${index + 1} (${entry.program})`, entry.shell.reveal(), more);
    }
  };
  shells('bootcmd', bootCommands);
  shells('per-boot script', bootScripts);
  shells('runcmd', commands, true);
  for (const { name, content, dropIns, where } of units) {
    const text = [content, ...dropIns.map((dropIn) => dropIn.content)]
      .map((one) => one?.reveal() ?? '')
      .join('\n');
    add('unit', name, text, placed(where));
  }
  for (const { path, content, mode, where } of files) {
    const text = Buffer.from(content.reveal()).toString('utf8');
    const unit = SYSTEMD_UNIT.exec(path)?.[1];
    if (unit !== undefined) add('unit', unit, text, placed(where));
    else {
      const runs = text.startsWith('#!') || (mode & 0o111) !== 0 || RUN_BY_OTHERS.test(path);
      add('file', path, text, { runs, ...placed(where) });
    }
  }
  return places;
}

/** Those that call kubeadm and those that lead to them: a command that runs a script that is started by a unit, and so on. */
function leadingPlaces(places: readonly Place[]): Place[] {
  const leading = new Set<Place>();
  const waiting = places.filter(({ calls }) => calls);
  // A file that is no script by itself is one where something names it: `sh /opt/join`.
  const isRun = (place: Place): boolean =>
    place.runs || places.some((other) => other !== place && other.runs && names(other.text, place));
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const found = place;
    if (leading.has(found) || !isRun(found)) continue;
    leading.add(found);
    if (found.kind === 'command') continue;
    waiting.push(...places.filter((other) => !leading.has(other) && names(other.text, found)));
  }
  return places.filter((place) => leading.has(place));
}

/** Does a text run this script or start this unit? */
function names(text: string, { kind, name }: Pick<Caller, 'kind' | 'name'>): boolean {
  if (kind === 'file') return text.includes(name) && wordsOf(text).includes(name);
  const bare = name.replace(/\.service$/, '');
  if (!text.includes(bare) || !STARTS_UNITS.test(text)) return false;
  const isTemplate = bare.endsWith('@');
  return wordsOf(text).some(
    (word) => word === bare || word === name || (isTemplate && word.startsWith(bare)),
  );
}

const STARTS_UNITS =
  /\bsystemctl\b|\bservice\b|^(?:Unit|Wants|Requires|BindsTo|Upholds|OnSuccess|OnFailure)=/m;

/** Without the signs around words in a shell, in JSON, and before the program of `ExecStart`. */
const wordsOf = (text: string): string[] =>
  text.split(/[\s"'`=;|&()<>{}[\],$]+/).map((word) => word.replace(/^[-@+!:]+(?=\/)/, ''));

function verbOf(calling: readonly Place[]): 'init' | 'join' | undefined {
  if (calling.length === 0) return undefined;
  const isJoin = calling.some(({ text }) => /kubeadm\b[^\n;|&]*\bjoin\b/i.test(text));
  return isJoin ? 'join' : 'init';
}

/** User data that brings kubeadm's configuration is to make a node, whatever program of the image reads it. */
function configuredVerb({ files }: Shape): 'init' | 'join' | undefined {
  const kinds = files.flatMap(({ content }) => {
    const text = Buffer.from(content.reveal()).toString('utf8');
    if (!text.includes('kubeadm.k8s.io/')) return [];
    return [...text.matchAll(/^\s*["']?kind["']?:\s*["']?(Init|Cluster|Join)Configuration\b/gm)].map(
      ([, kind]) => kind,
    );
  });
  if (kinds.length === 0) return undefined;
  return kinds.includes('Join') ? 'join' : 'init';
}

/** `systemd-run --unit=NAME`: a unit that only this command makes. */
function startedByCommands(leading: readonly Place[]): string[] {
  return leading.flatMap(({ text }) =>
    [...text.matchAll(/\bsystemd-run\b[^\n;|&]*?\s(?:--unit[= ]|-u ?)["']?([\w:.@][\w:.@\\-]{0,199})/g)].map(
      ([, name = '']) => (name.endsWith('.service') ? name : `${name}.service`),
    ),
  );
}

/** Files behind `>`, `>>` and `tee`. */
function redirections(text: string): string[] {
  const pattern = /(?:(?<![-=])&?>{1,2}\|?|\btee(?:[ \t]+(?:-a|--append))?)[ \t]*["']?(\/[\w./-]{1,500})/g;
  return [...text.matchAll(pattern)].map(([, path = '']) => path).filter((path) => !path.startsWith('/dev/'));
}

const asCaller = ({ kind, name, where }: Place): Caller => ({
  kind,
  name,
  ...(where === undefined ? {} : { where }),
});

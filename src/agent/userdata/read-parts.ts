import type { Command, Document, KubeadmCommand } from '../document/document.ts';
import { mentionsKubeadmBootstrap } from '../kubeadm/config/invocation.ts';
import type { Instance } from '../platform/instance/instance.ts';
import { type Diagnostics, printable } from '../text/diagnostics.ts';
import type { SourceText } from '../text/source-text.ts';
import { parseYaml } from '../text/yaml/parse.ts';
import type { MappingNode } from '../text/yaml/yaml-node.ts';
import { type Content, readCloudConfig, topLevel } from './cloud-config/read.ts';
import type { Part } from './decode/part.ts';
import { refuseFirstLine } from './decode/text.ts';
import type { ImageConfig } from './image-config.ts';
import { isForThisMachine } from './includes/launch-index.ts';
import { vendorSettings } from './includes/vendor-settings.ts';
import { publicKeysOf } from './instance/public-keys.ts';
import { renderPart, renderText } from './jinja/render-part.ts';
import { variablesOf } from './jinja/variables.ts';
import { readJsonPatch } from './merge/json-patch.ts';
import { mergeDefaults } from './merge/merge.ts';
import { type ConfigPart, mergeParts } from './merge/merge-parts.ts';
import type { SlipwayKey } from './node-settings/slipway.ts';
import { boothookCommand, onceCommand, RUNCMD_NAME, scriptCommand, windowsCommands } from './scripts.ts';

/** The parts of user data, and what counts where they say nothing. */
interface AllParts {
  user: readonly Part[];
  /** What the cloud gives to all its machines. */
  vendor: readonly Part[];
  /** What the image says: cloud.cfg and cloud.cfg.d. */
  image?: ImageConfig;
}

/** A script, with the name that decides its order. */
interface Script {
  name: string;
  commands: (Command | KubeadmCommand)[];
}

/** A script that runs at times of its own, with the same. */
interface NamedCommand {
  name: string;
  commands: Command[];
}

/** What parts hold by kind, in their order. */
interface Sorted {
  configs: ConfigPart[];
  boothooks: Command[];
  perOnce: NamedCommand[];
  perBoot: NamedCommand[];
  perInstance: NamedCommand[];
  scripts: Script[];
}

/** Reads the parts by cloud-init's rules and puts their commands into the order in which it runs them. */
export function readParts(
  { user, vendor, image }: AllParts,
  instance: Instance,
  diagnostics: Diagnostics,
): Partial<Document> & { slipway: SlipwayKey } {
  const own = sorted(user, instance, diagnostics);
  let root = own.configs.length > 0 ? rootOfAll(own.configs) : undefined;
  const below = image?.(diagnostics);
  const { isEnabled, prefix } = vendorSettings(root, below, diagnostics);
  const theirs = sorted(isEnabled ? vendor : [], instance, diagnostics, prefix);
  if (theirs.configs.length > 0) root = mergeDefaults(root, rootOfAll(theirs.configs));
  if (below !== undefined) root = mergeDefaults(root, below);
  const counted = own.configs.length === 1 ? (own.configs[0]?.report ?? diagnostics) : diagnostics;
  const content: Content | undefined =
    root && readCloudConfig(topLevel(root, counted), { ...instance, render: renderText }, counted);
  const keys = instance.cloud?.publicKeys ?? publicKeysOf(instance.metaData);
  if (content === undefined && keys.length > 0) {
    const message =
      'The metadata has public keys for the default user, but no cloud-config creates that user.';
    diagnostics.warn('UserDataIgnoredKey', message);
  }
  const scripts = [...own.scripts];
  if (content !== undefined) scripts.push({ name: RUNCMD_NAME, commands: content.document.commands });
  const perBoot = [...byName(theirs.perBoot), ...byName(own.perBoot)];
  return {
    ...content?.document,
    slipway: content?.slipway ?? {},
    bootCommands: [...own.boothooks, ...theirs.boothooks, ...(content?.document.bootCommands ?? [])],
    ...(perBoot.length === 0 ? {} : { bootScripts: perBoot }),
    commands: [
      ...byName(theirs.scripts),
      ...byName(theirs.perOnce),
      ...byName(own.perOnce),
      ...byName(theirs.perInstance),
      ...byName(own.perInstance),
      ...byName(scripts),
    ],
  };
}

const byName = <T>(scripts: readonly { name: string; commands: T[] }[]): T[] =>
  scripts
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .flatMap((script) => script.commands);

/** @param prefix Words before each script: what it is run by. */
function sorted(
  parts: readonly Part[],
  instance: Instance,
  diagnostics: Diagnostics,
  prefix?: string[],
): Sorted {
  const found: Sorted = {
    configs: [],
    boothooks: [],
    perOnce: [],
    perBoot: [],
    perInstance: [],
    scripts: [],
  };
  for (const each of parts) {
    const given = parts.length > 1 ? { ...each, source: withName(each.source) } : each;
    const own = diagnostics.of(given.source);
    if (!isForThisMachine(given, instance.metaData, own)) continue;
    const part = given.type === 'text/jinja2' ? renderPart(given, () => variablesOf(instance), own) : given;
    if (part !== undefined) sortIn(part, found, parts.length > 1, instance, own, prefix);
  }
  return found;
}

/** Each place in the text tells which text that is: what is merged of several has places of all of them. */
function withName({ note, ...source }: SourceText): SourceText {
  const own = note?.replace(/^counted in /, '').replace(/, which is in line (\d+)$/, ' (at line $1)');
  const within = [source.within, own].filter((one) => one !== undefined).join(', ');
  if (within === '') return source;
  return { ...source, within, locate: (offset) => ({ ...source.locate(offset), within }) };
}

function sortIn(
  part: Part,
  found: Sorted,
  isOneOfMany: boolean,
  instance: Instance,
  diagnostics: Diagnostics,
  prefix: string[] | undefined,
): void {
  switch (part.type) {
    case 'text/cloud-config': {
      const root = rootOf(part, diagnostics);
      const merging = part.mergeType ? { mergeType: part.mergeType } : {};
      if (isForThisMachine(part, instance.metaData, diagnostics, root))
        found.configs.push({ root, ...merging, report: diagnostics });
      break;
    }
    case 'text/cloud-config-jsonp':
      found.configs.push({ patch: readJsonPatch(part.source, diagnostics), report: diagnostics });
      break;
    case 'text/x-shellscript':
      tellOfKubeadm(part, diagnostics);
      found.scripts.push({ name: part.name, commands: [scriptCommand(part, prefix)] });
      break;
    case 'text/x-windows-script':
      tellOfKubeadm(part, diagnostics);
      found.scripts.push({ name: part.name, commands: windowsCommands(part) });
      break;
    case 'text/x-shellscript-per-once':
      tellOfKubeadm(part, diagnostics);
      found.perOnce.push({ name: part.name, commands: [onceCommand(part)] });
      break;
    case 'text/x-shellscript-per-instance':
      tellOfKubeadm(part, diagnostics);
      found.perInstance.push({ name: part.name, commands: [scriptCommand(part)] });
      break;
    case 'text/x-shellscript-per-boot':
      found.perBoot.push({ name: part.name, commands: [scriptCommand(part)] });
      break;
    case 'text/cloud-boothook':
      found.boothooks.push(boothookCommand(part));
      break;
    default:
      unread(part, isOneOfMany, diagnostics);
  }
}

function tellOfKubeadm({ source }: Part, diagnostics: Diagnostics): void {
  if (!mentionsKubeadmBootstrap(source.text)) return;
  const message =
    'This script calls kubeadm itself: Slipway runs it once and waits for the node, but does not retry the call.';
  diagnostics.warn('KubeadmNotTakenOver', message, source.locate(0));
}

/** The mapping of a cloud-config; empty where it is none, which is in the report then. */
function rootOf(part: Part, diagnostics: Diagnostics): MappingNode {
  const root = parseYaml(part.source, diagnostics);
  if (root?.kind === 'mapping') return root;
  if (root) topLevel(root, diagnostics);
  return { kind: 'mapping', entries: [], where: { line: 1, column: 1 } };
}

function rootOfAll(configs: readonly ConfigPart[]): MappingNode {
  const [first] = configs;
  return configs.length > 1 || first === undefined || 'patch' in first ? mergeParts(configs) : first.root;
}

const NOT_INSIDE = 'comes from a template or an archive, where cloud-init ignores it too';

/** Kinds of parts in which others hand over work: without them a success would be none. */
const CARRIES_WORK: Readonly<Record<string, string>> = {
  'text/part-handler': 'is Python code, which Slipway does not run',
  'text/x-include-url': NOT_INSIDE,
  'text/x-include-once-url': NOT_INSIDE,
  'text/cloud-config-archive': NOT_INSIDE,
  'application/vnd.coreos.ignition+json': 'is an Ignition config, which must be the whole user data',
};

function unread(part: Part, isOneOfMany: boolean, diagnostics: Diagnostics): void {
  const type = printable(part.type);
  const where = part.source.locate(0);
  const why = Object.hasOwn(CARRIES_WORK, part.type) ? CARRIES_WORK[part.type] : undefined;
  const message = `Slipway does not support user data of the type ${type}`;
  if (why !== undefined) diagnostics.error('UserDataFormatUnknown', `${message}: it ${why}.`, where);
  else if (isOneOfMany) diagnostics.warn('UserDataIgnoredKey', `${message}; the part is ignored.`, where);
  else if (part.type === 'text/plain' && part.source.text.trim() === '')
    diagnostics.error('UserDataEmpty', 'The template renders to nothing.', where);
  else if (part.type === 'text/plain') refuseFirstLine(part.source, 'The text', diagnostics);
  else diagnostics.error('UserDataFormatUnknown', `${message}; use cloud-config.`, where);
}

import type { Command, Document, InstanceData, KubeadmCommand, ReportEntry } from '../document/document.ts';
import { printable, Report } from '../text/report.ts';
import type { MappingNode } from '../text/yaml/node.ts';
import { parseYaml } from '../text/yaml/parse.ts';
import { mentionsKubeadmBootstrap } from './cloud-config/commands/lift.ts';
import { fromMetaData } from './cloud-config/hostname.ts';
import { type Content, readCloudConfig, topLevel } from './cloud-config/read.ts';
import { decodeUserData } from './decode/decode.ts';
import type { Part } from './decode/part.ts';
import type { Instance } from './instance/instance.ts';
import { instanceTypeOf } from './instance/instance-type.ts';
import { renderPart } from './jinja/render-part.ts';
import { variablesOf } from './jinja/variables.ts';
import { type ConfigPart, mergeParts } from './merge/merge-parts.ts';
import { type NodeFile, settingsIn } from './node/node-files.ts';
import { merged, type SlipwayKey, withSlipway } from './node/slipway.ts';
import { boothookCommand, RUNCMD_NAME, scriptCommand } from './scripts.ts';

/**
 * Turns user data into a document: it undoes gzip, base64 and MIME, renders jinja, and reads `#cloud-config`
 * and scripts by cloud-init's rules (see docs/user-data.md).
 *
 * Bad input never throws; `report` has every error and warning, if possible with line and column. Do not act
 * upon a document with an error. It neither reads nor changes the machine.
 */
export function readDocument(raw: Buffer, instance: Instance, onDisk: readonly NodeFile[] = []): Document {
  return documentOfParts(decoded(raw, instance), instance, onDisk);
}

/** User data in parts, and what is known to be wrong so far. */
export interface Decoded {
  report: Report;
  /** Undefined after an error. */
  parts: Part[] | undefined;
}

/** Undoes gzip, base64 and MIME. */
export function decoded(raw: Buffer, instance: Instance): Decoded {
  const report = new Report([...(instance.remarks ?? [])]);
  return { report, parts: decodeUserData(raw, report) };
}

export function documentOfParts(
  { report, parts }: Decoded,
  instance: Instance,
  onDisk: readonly NodeFile[],
): Document {
  const document = emptyDocument(instance, report);
  if (parts === undefined) return withSettings(document, {}, onDisk);
  if (instance.vendorData?.toString('latin1').trim()) {
    report.warn('UserDataIgnoredKey', 'The source gives vendor data, which Slipway does not act upon.');
  }
  tellWhatCameAlong(instance, report);
  const { slipway, ...read } = readParts(parts, instance, report);
  // A cloud-config decides the name, even that it stays (preserve_hostname).
  if ('files' in read) delete document.hostname;
  return withSettings({ ...document, ...read, format: 'cloud-config' }, slipway, onDisk);
}

/** A document of what another format provides. */
export function documentWith(
  content: Partial<Document>,
  report: Report,
  instance: Instance,
  onDisk: readonly NodeFile[],
): Document {
  return withSettings({ ...emptyDocument(instance, report), ...content }, {}, onDisk);
}

/** The same for a call of kubeadm on a command line, which has the node's settings but no user data. */
export function documentOf(command: KubeadmCommand, onDisk: readonly NodeFile[]): Document {
  const empty = emptyDocument({ source: 'command line', metaData: {} }, new Report());
  return withSettings({ ...empty, commands: [command] }, {}, onDisk);
}

/** The user data's key `slipway` wins over the files; only this function decides that. */
function withSettings(document: Document, key: SlipwayKey, onDisk: readonly NodeFile[]): Document {
  const report: ReportEntry[] = [];
  const settings = merged(settingsIn(onDisk, document.files, report), key);
  return { ...withSlipway(document, settings), report: [...document.report, ...report] };
}

/** What a source gives beside user data is named where nothing comes of it. */
function tellWhatCameAlong({ networkConfig, cloud, metaData }: Instance, report: Report): void {
  if (networkConfig !== undefined) {
    const message = `The source gives a network configuration (${networkConfig.place}), which Slipway does not act upon.`;
    report.warn('UserDataIgnoredKey', message);
  }
  const keys = cloud?.publicKeys ?? metaData['public-keys'] ?? metaData.public_keys;
  if (keys !== undefined && keys !== null && Object.values(keys).length > 0) {
    const message = 'The metadata has public keys for the default user, which Slipway does not make.';
    report.warn('UserDataIgnoredKey', message);
  }
}

function emptyDocument(instance: Instance, report: Report): Document {
  const id = instance.metaData['instance-id'];
  const data: InstanceData = {
    source: instance.source,
    ...(instance.recognised === undefined ? {} : { recognised: instance.recognised }),
    ...alongside(instance),
    ...(id === undefined || id === null ? {} : { id: String(id) }),
  };
  const hostname = fromMetaData(instance.metaData);
  return {
    format: 'none',
    instance: data,
    ...(hostname === undefined ? {} : { hostname }),
    files: [],
    bootCommands: [],
    commands: [],
    users: [],
    groups: [],
    disks: [],
    filesystems: [],
    mounts: [],
    report: report.entries,
  };
}

function alongside(instance: Instance): Partial<InstanceData> {
  const { cloud, vendorData, networkConfig } = instance;
  const instanceType = instanceTypeOf(instance);
  const { providerId, region, zone, addresses = [], publicKeys = [] } = cloud ?? {};
  return {
    ...(providerId === undefined ? {} : { providerId }),
    ...(instanceType === undefined ? {} : { instanceType }),
    ...(region === undefined ? {} : { region }),
    ...(zone === undefined ? {} : { zone }),
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(publicKeys.length === 0 ? {} : { publicKeys: publicKeys.length }),
    ...(vendorData === undefined || vendorData.length === 0 ? {} : { vendorData: true }),
    ...(networkConfig === undefined ? {} : { networkConfig: networkConfig.place }),
  };
}

/** A script, with the name that decides its order. */
interface Script {
  name: string;
  commands: (Command | KubeadmCommand)[];
}

function readParts(
  parts: readonly Part[],
  instance: Instance,
  report: Report,
): Partial<Document> & { slipway: SlipwayKey } {
  const configs: ConfigPart[] = [];
  const boothooks: Command[] = [];
  const scripts: Script[] = [];
  for (const given of parts) {
    const own = given.source.note === undefined ? report : report.counting(given.source.note);
    const part = given.type === 'text/jinja2' ? renderPart(given, variablesOf(instance), own) : given;
    if (part === undefined) continue;
    switch (part.type) {
      case 'text/cloud-config':
        configs.push({
          root: rootOf(part, own),
          ...(given.mergeType ? { mergeType: given.mergeType } : {}),
          report: own,
        });
        break;
      case 'text/x-shellscript':
        tellOfKubeadm(part, own);
        scripts.push({ name: part.name, commands: [scriptCommand(part)] });
        break;
      case 'text/cloud-boothook':
        boothooks.push(boothookCommand(part));
        break;
      default:
        unread(part, parts.length > 1, own);
    }
  }
  const content = readConfigs(configs, instance, report);
  if (content !== undefined) scripts.push({ name: RUNCMD_NAME, commands: content.document.commands });
  scripts.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return {
    ...content?.document,
    slipway: content?.slipway ?? {},
    bootCommands: [...boothooks, ...(content?.document.bootCommands ?? [])],
    commands: scripts.flatMap((script) => script.commands),
  };
}

function tellOfKubeadm({ source }: Part, report: Report): void {
  if (!mentionsKubeadmBootstrap(source.text)) return;
  const message = 'This script calls kubeadm itself: it is run once and its failure is not explained.';
  report.warn('KubeadmNotTakenOver', message, source.locate(0));
}

/** The mapping of a cloud-config; empty where it is none, which is in the report then. */
function rootOf(part: Part, report: Report): MappingNode {
  const root = parseYaml(part.source, report);
  if (root?.kind === 'mapping') return root;
  if (root) topLevel(root, report);
  return { kind: 'mapping', entries: [], where: { line: 1, column: 1 } };
}

function readConfigs(
  configs: readonly ConfigPart[],
  instance: Instance,
  report: Report,
): Content | undefined {
  const [first] = configs;
  if (first === undefined) return undefined;
  const [root, own] = configs.length === 1 ? [first.root, first.report] : [mergeParts(configs), report];
  return readCloudConfig(topLevel(root, own), instance, own);
}

function unread(part: Part, multipart: boolean, report: Report): void {
  const type = printable(part.type);
  const where = part.source.locate(0);
  const message = `Slipway does not read user data of the type ${type}`;
  if (multipart) report.warn('UserDataIgnoredKey', `${message}; the part is ignored.`, where);
  else report.error('UserDataFormatUnknown', `${message}; use cloud-config.`, where);
}

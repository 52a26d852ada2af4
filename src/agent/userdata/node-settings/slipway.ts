import { parseSeconds } from '../../../kit/duration.ts';
import { omitUndefined } from '../../../kit/json.ts';
import type { Document, PreflightSettings } from '../../document/document.ts';
import type { NodeSettings } from '../../document/node-settings.ts';
import { PATCHES_DIR } from '../../document/paths.ts';
import { type Diagnostics, printable } from '../../text/diagnostics.ts';
import { Fields } from '../../text/yaml/fields.ts';
import { describe, type YamlNode } from '../../text/yaml/yaml-node.ts';
import { readNodeSettings } from './read-node-settings.ts';

export interface SlipwayKey {
  preflight?: PreflightSettings;
  /** `host:port` of API servers. */
  endpoints?: string[];
  node?: NodeSettings;
  /** `kubeadm: none`. */
  withoutKubeadm?: boolean;
  wipe?: boolean;
  /** `metadata: guarded`. */
  isMetadataGuarded?: boolean;
  onError?: 'stop' | 'continue';
  deadlineSeconds?: number;
}

/**
 * `slipway`: what cloud-init knows nothing of: `preflight: {mend: true}`, `endpoints: [HOST:PORT, ...]`, and
 * what the node is given around kubeadm.
 */
export function readSlipway(node: YamlNode, diagnostics: Diagnostics): SlipwayKey {
  const fields = fieldsOf(node, 'slipway', diagnostics);
  if (fields === undefined) return {};
  const inner = fields.node('preflight');
  const preflight = inner === undefined ? undefined : readPreflight(inner, diagnostics);
  const endpoints = fields.texts('endpoints');
  const wrong = endpoints.find((endpoint) => !ENDPOINT.test(endpoint));
  if (wrong !== undefined)
    fields.wrong('endpoints', `${printable(wrong)} in endpoints is not HOST:PORT, such as 10.0.0.1:6443.`);
  const kubeadm = fields.node('kubeadm');
  const withoutKubeadm = kubeadm?.kind === 'string' && kubeadm.value === 'none';
  const wipe = fields.has('wipe') ? fields.bool('wipe', true) : undefined;
  const metadata = fields.text('metadata');
  if (metadata !== undefined && metadata !== 'guarded')
    fields.wrong('metadata', 'metadata must be guarded if it is set.');
  const onError = readOnError(fields);
  const deadlineSeconds = readDeadline(fields);
  const settings = readNodeSettings(fields, diagnostics);
  fields.refuseUnknown();
  return {
    ...(preflight === undefined ? {} : { preflight }),
    ...(endpoints.length === 0 ? {} : { endpoints }),
    ...(settings === undefined ? {} : { node: settings }),
    ...(withoutKubeadm ? { withoutKubeadm } : {}),
    ...(wipe === undefined ? {} : { wipe }),
    ...(metadata === undefined ? {} : { isMetadataGuarded: true }),
    ...(onError === undefined ? {} : { onError }),
    ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
  };
}

function readDeadline(fields: Fields): number | undefined {
  const text = fields.looseText('deadline');
  if (text === undefined) return undefined;
  const seconds = parseSeconds(text);
  if (seconds !== undefined && seconds >= 1) return seconds;
  fields.wrong('deadline', 'deadline must be a duration such as 90s, 15m or 1h30m.');
  return undefined;
}

function readOnError(fields: Fields): SlipwayKey['onError'] {
  const word = fields.text('onError');
  if (word === undefined || word === 'stop' || word === 'continue') return word;
  fields.wrong('onError', 'onError must be stop or continue.');
  return undefined;
}

/** `over` wins, section by section. */
export function merged(under: SlipwayKey, over: SlipwayKey): SlipwayKey {
  return { ...under, ...over, node: { ...under.node, ...over.node } };
}

/** The document with what the key says: of the machine, and of each call of kubeadm. */
export function withSlipway(
  document: Document,
  {
    preflight,
    node,
    endpoints,
    withoutKubeadm,
    wipe,
    isMetadataGuarded,
    onError,
    deadlineSeconds,
  }: SlipwayKey,
): Document {
  const hasPatches = (node?.kubeadm?.patches.length ?? 0) > 0;
  return {
    ...document,
    ...(preflight === undefined ? {} : { preflight }),
    ...(withoutKubeadm ? { withoutKubeadm } : {}),
    ...(wipe === undefined ? {} : { wipe }),
    ...(isMetadataGuarded ? { isMetadataGuarded } : {}),
    ...omitUndefined({ onError, deadlineSeconds }),
    ...(node === undefined || Object.keys(node).length === 0 ? {} : { node }),
    commands: document.commands.map((command) => {
      if (command.kind !== 'kubeadm') return command;
      // A join may ask any of the endpoints; an init makes its own.
      const asks = endpoints !== undefined && command.verb === 'join' && command.endpoints === undefined;
      return {
        ...command,
        ...(asks ? { endpoints } : {}),
        ...(hasPatches ? { patches: PATCHES_DIR } : {}),
        ...(node?.labels === undefined || node.labels.length === 0 ? {} : { labels: node.labels }),
      };
    }),
  };
}

const ENDPOINT = /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*):\d{1,5}$/;

function readPreflight(node: YamlNode, diagnostics: Diagnostics): PreflightSettings | undefined {
  const preflight = fieldsOf(node, 'slipway.preflight', diagnostics);
  if (preflight === undefined) return undefined;
  const settings = { mend: preflight.bool('mend', false) };
  preflight.refuseUnknown();
  return settings;
}

function fieldsOf(node: YamlNode, what: string, diagnostics: Diagnostics): Fields | undefined {
  if (node.kind === 'mapping') return new Fields(node, what, diagnostics);
  if (node.kind !== 'null')
    diagnostics.error('UserDataInvalid', `${what} must be a mapping, not ${describe(node)}.`, node.where);
  return undefined;
}

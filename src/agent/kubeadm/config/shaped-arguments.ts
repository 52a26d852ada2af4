import { tellTogether } from '../../../kit/sentences/alike.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import { RUN_DIR } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { KubeadmError } from '../kubeadm-error.ts';
import { checkConfig } from './api/check-config.ts';
import { convertConfig } from './api/convert.ts';
import { type ConfigProblem, placedMessage } from './api/problem.ts';
import type { ApiVersion } from './api/versions.ts';
import { capTimeouts } from './cap-timeouts.ts';
import { flagList, parseFlags } from './flags.ts';
import { flagsAsConfig } from './flags-as-config.ts';
import { withConfig } from './invocation.ts';
import { withLabels } from './kubelet/node-labels.ts';
import { patchesFlag, withPatches } from './patches.ts';
import { type CallReading, readCall } from './read-call.ts';
import { shapeConfig } from './shape-config.ts';
import { setValue } from './yaml/edit-document.ts';

/** The copy of the configuration that kubeadm reads; it holds what the original holds, token included. */
export const SHAPED_CONFIG = `${RUN_DIR}/kubeadm.yaml`;

interface ShapedArguments {
  args: string[];
  /** What a person should know of the configuration, and does not stop kubeadm. */
  warnings: ConfigProblem[];
  /** Set when the copy speaks another version of the API than the file. */
  converted?: { from: ApiVersion; to: ApiVersion };
}

export interface ShapeOptions {
  discoveryTimeoutSeconds: number;
  /** Minor version of the installed kubeadm; nothing is converted when it is not known. */
  minor?: number | undefined;
  /** No wait inside kubeadm is to take longer than this, see `capTimeouts`. */
  capSeconds?: number | undefined;
  /** `host:port` to be asked instead of the one in the configuration. */
  endpoint?: string | undefined;
  /** For the kubelet to register with. */
  labels?: Readonly<Record<string, string>> | undefined;
}

/**
 * The arguments with which kubeadm is run: those of the user data, but where need be with a copy of the
 * configuration that speaks the API version of the installed kubeadm and, for a join, has a shorter discovery
 * timeout where the user set none; a join by flags gets a configuration that says the same. So one attempt's silent loop ends after a minute instead of five, and the
 * agent can say why and try again. The copy has mode 0600 and goes with the run.
 *
 * @throws KubeadmError with line and column, when the configuration cannot be read or kubeadm is sure to
 *   refuse it.
 */
export async function shapedArguments(
  host: Host,
  call: CallReading,
  options: ShapeOptions,
): Promise<ShapedArguments> {
  const { configPath, patches } = call.command;
  const args = call.command.args.reveal();
  if (configPath === undefined) {
    const instead = await byConfig(host, call, options);
    if (instead !== undefined) return instead;
    if (Object.keys(options.labels ?? {}).length > 0) throw labelsWithoutPlace();
    const names = patches === undefined || call.config?.patchesDirectory !== undefined;
    const flags = names ? [] : [patchesFlag(patches, options.minor)];
    return { args: [...withEndpoint(args, options.endpoint), ...flags], warnings: [] };
  }
  // kubeadm itself says best what is wrong with a file that is not there.
  if (call.text === undefined) return { args, warnings: [] };
  const { text, flags, ...rest } = shapedConfig(call, options);
  if (text === undefined) return { args: [...args, ...flags], ...rest };
  await host.files.write(SHAPED_CONFIG, text, { mode: 0o600 });
  return { args: [...withConfig(args, configPath, await asKubeadmNamesIt(host)), ...flags], ...rest };
}

/** To Windows a path without a drive is one of whatever drive kubeadm is started on. */
async function asKubeadmNamesIt(host: Host): Promise<string> {
  return host.platform === 'windows' ? host.files.real(SHAPED_CONFIG) : SHAPED_CONFIG;
}

/** Only a configuration has a place for them. */
function labelsWithoutPlace(): KubeadmError {
  return new KubeadmError(
    'KubeadmConfigNotExpressible',
    'slipway.labels requires a kubeadm configuration (--config), which this kubeadm command does not have.',
  );
}

/** A join by flags, where it can be said by a configuration; what is wrong with flags kubeadm says best itself. */
async function byConfig(
  host: Host,
  { command }: CallReading,
  options: ShapeOptions,
): Promise<ShapedArguments | undefined> {
  if (command.verb !== 'join' || options.minor === undefined) return undefined;
  const said = flagsAsConfig(command.args.reveal(), options.minor);
  if (said === undefined) return undefined;
  const args = sensitive(said.args);
  try {
    const reading = readCall({ ...command, args, configPath: SHAPED_CONFIG }, said.text);
    const { text = said.text, flags, warnings } = shapedConfig(reading, options);
    await host.files.write(SHAPED_CONFIG, text, { mode: 0o600 });
    return { args: [`--config=${await asKubeadmNamesIt(host)}`, ...said.args, ...flags], warnings };
  } catch (error) {
    if (error instanceof KubeadmError) return undefined;
    throw error;
  }
}

/**
 * The same without touching the machine: `text` is undefined when the file can be read as it is.
 *
 * @throws KubeadmError as `shapedArguments`.
 */
export function shapedConfig(
  { command, text: original = '', documents, config, problem }: CallReading,
  { discoveryTimeoutSeconds, minor, capSeconds, endpoint, labels = {} }: ShapeOptions,
): Omit<ShapedArguments, 'args'> & { text?: string; flags: string[] } {
  if (problem) throw problem;
  const { verb, args, patches, configPath: name = 'file' } = command;
  const adds = patches !== undefined && config?.patchesDirectory === undefined;
  const conversion =
    minor === undefined ? undefined : convertConfig(verb, documents, minor, adds ? WITH_PATCHES : undefined);
  const problems = [...checkConfig(verb, documents), ...(conversion?.problems ?? [])];
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors[0] !== undefined) throw refusal(name, errors[0].code, errors);
  const warnings = problems.filter(({ severity }) => severity === 'warning');
  const converted = conversion?.text ?? original;
  const shapes = verb === 'join' && config?.discoveryTimeoutSeconds === undefined;
  const shaped = shapes ? shapeConfig(converted, { discoveryTimeoutSeconds }) : converted;
  const version = conversion?.to ?? config?.configVersion;
  const capped =
    capSeconds === undefined || version === undefined
      ? shaped
      : capTimeouts(shaped, verb, version, capSeconds);
  const asked =
    endpoint === undefined
      ? capped
      : setValue(capped, 'JoinConfiguration', ENDPOINT, endpoint, isOther(endpoint));
  const labelled =
    Object.keys(labels).length === 0 || version === undefined
      ? asked
      : withLabels(asked, verb, labels, version);
  const { text, flags } =
    adds && version !== undefined
      ? withPatches(labelled, verb, patches, { version, minor })
      : { text: labelled, flags: [] };
  return {
    warnings,
    flags: [...(conversion?.flags ?? []).filter((flag) => !isGiven(flag, args.reveal())), ...flags],
    ...(text === original ? {} : { text }),
    ...(conversion === undefined ? {} : { converted: { from: conversion.from, to: conversion.to } }),
  };
}

/**
 * The first version that has a place for patches; kubeadm takes no `--patches` beside `--config`
 * (`isAllowedFlag`).
 */
const WITH_PATCHES: ApiVersion = 'v1beta3';

/** On the command line a flag wins over the file, and must do so over what the file was turned into. */
function isGiven(flag: string, args: readonly string[]): boolean {
  const name = flag.slice(2, flag.indexOf('='));
  return flagList(parseFlags(args), name).length > 0;
}

const ENDPOINT = ['discovery', 'bootstrapToken', 'apiServerEndpoint'];
const isOther = (endpoint: string) => (present: string | undefined) =>
  present !== undefined && present !== endpoint;

/** The API server stands alone on the command line of a join. */
function withEndpoint(args: readonly string[], endpoint: string | undefined): string[] {
  const [given] = parseFlags(args).positional;
  return args.map((arg) => (endpoint !== undefined && arg === given ? endpoint : arg));
}

/** More than these nobody reads at once. */
const TOLD = 10;

function refusal(
  name: string,
  code: ConfigProblem['code'],
  problems: readonly ConfigProblem[],
): KubeadmError {
  const { first, also } = tellTogether(problems.slice(0, TOLD).map((one) => placedMessage(one, name)));
  const left = problems.length > TOLD ? ` There are ${problems.length - TOLD} more problems.` : '';
  return new KubeadmError(code, `The kubeadm configuration is not valid: ${first}${also}${left}`);
}

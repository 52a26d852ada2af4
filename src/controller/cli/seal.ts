import { writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { ExpectedError, UsageError } from '../../kit/errors.ts';
import { AT_CONTROLLER } from '../../protocol/sealed-stub.ts';
import { sealFile } from '../../tpm/sealing/sealed-file.ts';
import { kubernetesCertificate } from '../keys/keys.ts';
import type { KubeClient } from '../kube/client.ts';
import { bootstrapDataOf, findMachine, putStub, type SealedFor } from '../sealing/machine-data.ts';
import { readInput, readTarget } from '../sealing/read-target.ts';
import { sealUserData } from '../sealing/seal-user-data.ts';
import { STUB_FORMATS, stubText } from '../sealing/stub-text.ts';
import { SealedParts } from '../secret-release/sealed-parts.ts';
import { milliseconds } from './options/values.ts';
import { OBJECT_NAME, openSource, type SourceOptions } from './source.ts';

interface SealOptions extends SourceOptions {
  machine?: string;
  path?: string;
  for?: string;
  pcrs?: string;
  expires: string;
  format: string;
  inline?: boolean;
  url?: string;
  part?: string;
  endpoint?: string[];
  secret?: string;
  controllerNamespace: string;
}

const WEB = /^https?:\/\/[^\s"'\\]+$/;

/** `slipway-controller seal`: all of a machine's user data (`--machine`), or one file of them (`--path`). */
export async function sealCommand(file: string | undefined, options: SealOptions): Promise<number> {
  const { machine, path } = options;
  if ((machine === undefined) === (path === undefined))
    throw new UsageError('seal: --machine NAME for all of its user data, or --path PATH for a file of them');
  return machine === undefined ? sealOne(file, options) : await sealAll(file, { ...options, machine });
}

/** Neither a cluster nor the machine is asked. */
function sealOne(file: string | undefined, { path = '', pcrs, ...options }: SealOptions): number {
  if (posix.resolve('/', path) !== path)
    throw new UsageError(`--path: ${path} is no absolute path of a file`);
  if (file === undefined) throw new UsageError('seal: which file? - is standard input');
  if (options.for === undefined)
    throw new UsageError('--for: for which machine? What slipway identity --output json printed there');
  const { ek, state } = used(() => readTarget(options.for ?? '', pcrs));
  const content = used(() => readInput(file));
  process.stdout.write(sealFile({ ek, path, content, ...(state ? { state } : {}) }));
  return 0;
}

/** @param file absent: what the Machine's bootstrap data Secret has */
async function sealAll(
  file: string | undefined,
  options: SealOptions & { machine: string },
): Promise<number> {
  const { url, part: partFile, endpoint } = options;
  const format = formatOf(options);
  const lifetimeMs = milliseconds(options.expires, '--expires');
  const content = file === undefined ? undefined : used(() => readInput(file));
  const target =
    options.for === undefined ? undefined : used(() => readTarget(options.for ?? '', options.pcrs));
  const where = options.inline ? 'inline' : (url ?? AT_CONTROLLER);
  // With a key for the TPM and the part elsewhere nobody has to be asked.
  const isOffline = content && target && where !== AT_CONTROLLER && !endpoint && options.secret === undefined;
  const source = isOffline ? undefined : openSource(options);
  try {
    const client = source?.client;
    const machine = await machineOf(client, options, options.namespace ?? source?.namespace ?? 'default');
    const data = content ?? (client && (await bootstrapDataOf(client, machine)));
    if (!data?.length) throw new UsageError('seal: there is nothing to seal');
    const controller = client && endpoint && (await controllerOf(client, endpoint, options));
    const sealed = sealUserData({ machine, content: data, lifetimeMs, target, where, controller });
    if (partFile !== undefined) writeFileSync(partFile, sealed.part);
    if (client && sealed.kept)
      await new SealedParts(client, options.controllerNamespace).put(machine.uid, sealed.kept);
    return await give(client, machine, stubText(sealed.stub, format), options);
  } finally {
    await source?.store.close();
  }
}

/** What makes no sense together is told before anything is read. */
function formatOf(options: SealOptions & { machine: string }): (typeof STUB_FORMATS)[number] {
  const { machine, url, part, inline, endpoint = [] } = options;
  if (!OBJECT_NAME.test(machine)) throw new UsageError(`--machine: ${machine} is not a valid object name`);
  if (options.pcrs !== undefined && options.for === undefined)
    throw new UsageError('--pcrs: the registers are those of --for, which is missing');
  if ((url === undefined) !== (part === undefined))
    throw new UsageError('--url and --part go together: the file is what you put at the URL');
  if (url !== undefined && inline) throw new UsageError('--inline and --url: the part lies in one place');
  if (url !== undefined && !(WEB.test(url) && URL.canParse(url)))
    throw new UsageError(`--url: ${url} is no URL of http or https`);
  const wrong = endpoint.find((each) => !(WEB.test(each) && each.startsWith('https:') && URL.canParse(each)));
  if (wrong !== undefined)
    throw new UsageError(`--endpoint: ${wrong} is no URL such as https://slipway.example:8443`);
  const found = STUB_FORMATS.find((each) => each === options.format);
  if (found) return found;
  throw new UsageError(`--format: ${options.format} is none of ${STUB_FORMATS.join(', ')}`);
}

async function machineOf(
  client: KubeClient | undefined,
  { machine: name }: { machine: string },
  namespace: string,
): Promise<SealedFor> {
  return client ? await findMachine(client, namespace, name) : { namespace, name, uid: name };
}

async function controllerOf(client: KubeClient, endpoints: string[], { controllerNamespace }: SealOptions) {
  return { endpoints, ca: await kubernetesCertificate(client, controllerNamespace) };
}

async function give(
  client: KubeClient | undefined,
  machine: SealedFor,
  stub: string,
  { secret, format }: SealOptions,
): Promise<number> {
  if (!client || secret === undefined) {
    process.stdout.write(stub);
    return 0;
  }
  const kind = format === 'ignition' ? 'ignition' : 'cloud-config';
  await putStub(client, machine, secret, { stub, format: kind });
  process.stderr.write(
    `slipway-controller: the stub is in Secret ${machine.namespace}/${secret}, key value; name it in spec.bootstrap.dataSecretName of the Machine\n`,
  );
  return 0;
}

/** What is wrong with a file that an option names is wrong with the command line. */
function used<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ExpectedError) throw new UsageError(error.message);
    throw error;
  }
}

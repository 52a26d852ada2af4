import { stringify, type TomlTable } from 'smol-toml';
import type { ContainerdSettings, MirrorSettings, RegistrySettings } from '../../document/node-settings.ts';
import { RUN_DIR } from '../../document/paths.ts';
import { failed } from '../../engine/failure.ts';
import type { StepContext } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import { isSystemdRunning } from '../../tools/systemd.ts';
import type { Work } from '../kind/step-kind.ts';
import { presentMode } from '../tools/present-mode.ts';
import { ContainerdConfigError, type MergedConfig, mergeConfig } from './merge-config.ts';

const CONFIG = '/etc/containerd/config.toml';
const CANDIDATE = `${RUN_DIR}/containerd.toml`;
/** The suffix of an image's original file that Slipway keeps. */
const ASIDE = '.before-slipway';

/**
 * Sets up containerd. It merges containerd's settings into the existing configuration, and containerd itself
 * checks the result before it takes effect. Registries are files in certs.d, which need no restart. It
 * restarts containerd only after a change of its configuration.
 */
export const setUpContainerd: Work<ContainerdSettings> = (settings) => ({
  async run({ host, signal, progress }) {
    try {
      const present = (await host.files.readIfPresent(CONFIG))?.toString('utf8');
      const merged = merge(present, settings, await majorOf(host, signal));
      const registries = await writeRegistries(host, settings, merged.certsDir);
      if (merged.text !== undefined) await replace(host, present, merged.text, signal);
      for (const note of merged.notes) await progress(`containerd's configuration: ${note}`);
      const restarted = await restart(host, merged, present, signal);
      const changes = [
        merged.text === undefined ? '' : 'configuration changed',
        registries > 0 ? `${registries} file${registries === 1 ? '' : 's'} of registries written` : '',
        restarted ? 'restarted' : '',
      ].filter(Boolean);
      return { done: true, message: changes.join(', ') || 'as wanted already' };
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      return failed(error.code, error.message, error.more);
    } finally {
      await host.files.remove(CANDIDATE);
    }
  },
});

function merge(present: string | undefined, settings: ContainerdSettings, major: number): MergedConfig {
  try {
    return mergeConfig(present, settings, major);
  } catch (error) {
    if (!(error instanceof ContainerdConfigError)) throw error;
    throw new StepError('ContainerdConfigInvalid', `${CONFIG} cannot be changed: ${error.message}`);
  }
}

/** Reads `containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1`, `... v2.1.4 75cb2b7...`. */
async function majorOf(host: Host, signal: AbortSignal): Promise<number> {
  const how = { doing: 'ask containerd for its version', code: 'ContainerdConfigInvalid', signal } as const;
  const { stdout } = await runTool(host, ['containerd', '--version'], { ...how, timeoutMs: 20_000 });
  const major = /\sv?(\d+)\.\d+\.\d+/.exec(stdout)?.[1];
  if (major === undefined)
    throw new StepError(
      'ContainerdConfigInvalid',
      'containerd does not report its version in the usual form',
    );
  return Number(major);
}

/** @returns how many files had to change */
async function writeRegistries(
  host: Host,
  { registries }: ContainerdSettings,
  certsDir: string,
): Promise<number> {
  let written = 0;
  for (const { path, content } of registries.flatMap((registry) => registryFiles(certsDir, registry))) {
    const present = (await host.files.readIfPresent(path))?.toString('utf8');
    if (present === content) continue;
    if (present !== undefined && path.endsWith('/hosts.toml') && !isOurs(present))
      await keepAside(host, path, present);
    await host.files.write(path, content, { mode: 0o644 });
    written += 1;
  }
  return written;
}

async function replace(
  host: Host,
  present: string | undefined,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const stat = await host.files.stat(CONFIG);
  // It may hold credentials of registries.
  await host.files.write(CANDIDATE, text, { mode: 0o600, volatile: true });
  await runTool(host, ['containerd', '--config', CANDIDATE, 'config', 'dump'], {
    doing: 'use the new configuration of containerd',
    code: 'ContainerdConfigInvalid',
    timeoutMs: 20_000,
    signal,
  });
  if (present !== undefined) await keepAside(host, CONFIG, present);
  await noteRestart(host);
  await host.files.write(CONFIG, text, stat ? { mode: stat.mode & 0o777 } : { mode: 0o644 });
}

async function keepAside(host: Host, path: string, content: string): Promise<void> {
  if ((await host.files.stat(`${path}${ASIDE}`)) !== undefined) return;
  const mode = await presentMode(host, path, 0o600);
  await host.files.write(`${path}${ASIDE}`, content, { mode });
}

/** containerd must come up with the new configuration. If it does not, it gets the old one back. */
async function restart(
  host: Host,
  { text }: MergedConfig,
  present: string | undefined,
  signal: StepContext['signal'],
): Promise<boolean> {
  if (!(await isRestartDue(host))) return false;
  try {
    return await restartContainerd(host, signal);
  } catch (error) {
    if (!(error instanceof StepError) || text === undefined || signal.aborted) throw error;
    if (present === undefined) await host.files.remove(CONFIG);
    else
      await host.files.write(CONFIG, present, {
        mode: await presentMode(host, CONFIG, 0o644),
      });
    await restartContainerd(host, signal).catch(() => undefined);
    const cause = `${error.message}; the configuration before is in force again`;
    throw new StepError(error.code, cause, error.more);
  }
}

const HEADER = '# Written by Slipway from the settings of the node (slipway.containerd.registries).\n';

/** A file to be written. */
interface RegistryFile {
  path: string;
  content: string;
}

/** The hosts.toml of a registry, and the certificates that it names (containerd, docs/hosts.md). */
export function registryFiles(certsDir: string, registry: RegistrySettings): RegistryFile[] {
  const directory = `${certsDir}/${registry.host}`;
  const files: RegistryFile[] = [];
  const authority = (name: string, pem: string | undefined): TomlTable => {
    if (pem === undefined) return {};
    const path = `${directory}/${name}`;
    files.push({ path, content: pem });
    return { ca: path };
  };
  const hosts = registry.mirrors.map((mirror, index): [string, TomlTable] => [
    mirror.url,
    { ...mirrorTable(mirror), ...authority(`slipway-mirror-${index + 1}.crt`, mirror.ca) },
  ]);
  const table: TomlTable = {
    ...(registry.server === undefined ? {} : { server: registry.server }),
    ...authority('slipway-ca.crt', registry.ca),
    ...(registry.skipVerify ? { skip_verify: true } : {}),
    ...(hosts.length > 0 ? { host: Object.fromEntries(hosts) } : {}),
  };
  files.push({ path: `${directory}/hosts.toml`, content: `${HEADER}${stringify(table)}` });
  return files;
}

function isOurs(text: string): boolean {
  return text.startsWith(HEADER);
}

function mirrorTable({ capabilities, skipVerify, overridePath }: MirrorSettings): TomlTable {
  return {
    capabilities,
    ...(skipVerify ? { skip_verify: true } : {}),
    ...(overridePath ? { override_path: true } : {}),
  };
}

/** If it exists, containerd has not read its latest configuration. A reboot ends both file and need. */
const DUE = `${RUN_DIR}/containerd-restart`;

/** Call it before writing, so that an agent that is killed in between remembers the restart. */
export async function noteRestart(host: Host): Promise<void> {
  await host.files.write(DUE, '', { volatile: true });
}

async function isRestartDue(host: Host): Promise<boolean> {
  return (await host.files.stat(DUE)) !== undefined;
}

/**
 * Restarts containerd and returns when it reports that it is up; false below a root directory, where nothing
 * runs.
 *
 * @throws Problem ContainerdNotRestarted
 */
export async function restartContainerd(host: Host, signal: AbortSignal): Promise<boolean> {
  const runs = await isSystemdRunning(host);
  if (runs) {
    await runTool(host, ['systemctl', 'restart', 'containerd.service'], {
      doing: 'restart containerd',
      code: 'ContainerdNotRestarted',
      timeoutMs: 100_000,
      signal,
    });
  }
  await host.files.remove(DUE);
  return runs;
}

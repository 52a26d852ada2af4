import type { Diagnostic, NtpSettings } from '../../document/document.ts';
import { failed } from '../../engine/failure.ts';
import type { StepContext } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { printable } from '../../text/diagnostics.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import { isSystemdRunning } from '../../tools/systemd.ts';
import { machineToWarnOf, type PreviewContext, warningAt } from '../kind/preview.ts';
import type { Work } from '../kind/step-kind.ts';
import { installPrograms } from '../system/software/packages.ts';
import { presentMode } from '../tools/present-mode.ts';
import {
  type Chosen,
  chooseService,
  configOf,
  isInstalled,
  type TimeService,
  unitOf,
} from './time/services.ts';
import { isOurs, timesyncdDropIn, withSources } from './time/sources.ts';

/**
 * Configures the machine's time service with user data's servers (cloud-init's `cc_ntp`): the one that is named, which is
 * installed where it is missing, else the first installed one of chrony, systemd-timesyncd and ntp. As in cloud-init,
 * `enabled: false` changes nothing. Without servers and pools, the distribution's own stay.
 */
export const setUpTime: Work<NtpSettings> = (settings) => ({
  onFailure: 'continue',
  async run(context) {
    const { host, signal } = context;
    if (!settings.enabled) return { done: true, message: 'left as it is (enabled: false)' };
    const chosen = await chooseService(host, settings);
    if (!chosen) {
      const cause =
        'No time service is installed (systemd-timesyncd, chrony or ntp), so nothing keeps the clock right';
      return failed('TimeSyncNotSetUp', cause);
    }
    try {
      // First: where the configuration lies, the package knows.
      await provide(chosen, settings, context);
      if (asksForMore(settings)) await configure(host, chosen.service, settings);
      const running = await apply(host, chosen.service, settings, signal);
      return { done: true, message: `${chosen.service.name} configured${running}` };
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      return failed(error.code, error.message, { ...remedyFor(chosen, settings), ...error.more });
    }
  },
});

/** The table's speaks of the services that Slipway knows. */
function remedyFor({ service }: Chosen, { client, own }: NtpSettings): { remedy?: string } {
  if (own !== undefined) {
    const program = own.program ?? service.programs[0] ?? service.name;
    return {
      remedy: `Put ${service.name} into the image, or into ntp.config.packages what brings ${program}, with its unit as service_name; then read journalctl -u ${own.unit ?? service.name}.`,
    };
  }
  if (client === undefined) return {};
  const log = `then read journalctl -u ${service.units[0]}`;
  return {
    remedy: `Put ${service.name} into the image, or say no ntp_client and take what is there; ${log}.`,
  };
}

function asksForMore({ servers, pools, peers = [], allow = [], own }: NtpSettings): boolean {
  const isPlaced = own?.content !== undefined || own?.path !== undefined;
  return isPlaced || servers.length + pools.length + peers.length + allow.length > 0;
}

async function provide(
  { service, isInstalled: isThere }: Chosen,
  { own }: NtpSettings,
  context: StepContext,
): Promise<void> {
  const { programs } = own?.program === undefined ? service : { programs: [own.program] };
  // As in cloud-init the author's own program alone says whether the packages are needed.
  if (own?.program === undefined ? isThere : await isInstalled(context.host, { programs })) return;
  const packages = own?.packages ?? service.packages;
  const absent = `The time service ${service.name}, which the user data names, is not installed`;
  if (packages.length === 0) throw new StepError('TimeSyncNotSetUp', absent);
  await installPrograms(packages, context).catch((error: unknown) => {
    if (!(error instanceof StepError)) throw error;
    throw new StepError('TimeSyncNotSetUp', `${absent}: ${error.message}`, error.more);
  });
  if (!(await isInstalled(context.host, { programs })))
    throw new StepError('TimeSyncNotSetUp', `${absent} by its packages`);
}

async function configure(host: Host, service: TimeService, settings: NtpSettings): Promise<void> {
  const { own } = settings;
  const { path, text } = await configOf(
    host,
    own?.path === undefined ? service : { ...service, configs: [own.path] },
  );
  const replace = async (wanted: string) => {
    if (text === wanted) return;
    const mode = await presentMode(host, path, 0o644);
    // cloud-init renames it; a copy leaves the service a configuration at every moment.
    if (text !== undefined && !isOurs(text)) await host.files.write(`${path}.dist`, text, { mode });
    await host.files.write(path, wanted, { mode });
  };
  if (own?.content === undefined && service.style === 'drop-in') return replace(timesyncdDropIn(settings));
  const original =
    text === undefined || isOurs(text)
      ? (await host.files.readIfPresent(`${path}.dist`))?.toString('utf8')
      : text;
  // Chrony says whom it serves; ntpd serves everybody whom its own restrictions do not keep out.
  const allowed = service.name === 'chrony' ? (settings.allow ?? []).map((each) => `allow ${each}`) : [];
  return replace(own?.content?.reveal() ?? withSources(original ?? service.otherwise, settings, allowed));
}

/** Starts the service with its new configuration, now and at every boot. */
async function apply(
  host: Host,
  service: TimeService,
  { own }: NtpSettings,
  signal: AbortSignal,
): Promise<string> {
  if (!(await isSystemdRunning(host))) return '';
  const unit = own?.unit ?? (await unitOf(host, service));
  if (!unit)
    throw new StepError('TimeSyncNotSetUp', `${service.name} is installed, but has no systemd service`);
  const how = { code: 'TimeSyncNotSetUp', timeoutMs: 60_000, signal } as const;
  // The author's own may be another name of a unit, which cannot be enabled; cloud-init enables none.
  if (own?.unit === undefined)
    await runTool(host, ['systemctl', 'enable', `${unit}.service`], { doing: `enable ${unit}`, ...how });
  // --no-block, because at boot the service may be ordered after something that waits for this step.
  await runTool(host, ['systemctl', 'restart', '--no-block', `${unit}.service`], {
    doing: `restart ${unit}`,
    ...how,
  });
  return ', restarting';
}

/** A time service that this machine has not, and settings that its service knows nothing of. */
export async function previewTime(
  specs: readonly NtpSettings[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  const host = machineToWarnOf(context);
  const [settings] = specs;
  if (host === undefined || !settings?.enabled) return [];
  const warn = (message: string) => [warningAt(context.document, ['ntp'], 'TimeSyncNotSetUp', message)];
  const chosen = await chooseService(host, settings);
  if (chosen === undefined)
    return warn(
      'No time service is on this machine (systemd-timesyncd, chrony or ntp), and none is named to be installed',
    );
  const { name, packages } = chosen.service;
  if (settings.client === undefined && settings.own === undefined) {
    const lost = [
      ...(settings.peers?.length && name === 'systemd-timesyncd' ? ['peers'] : []),
      ...(settings.allow?.length && name !== 'chrony' ? ['allow'] : []),
    ];
    return lost.length === 0
      ? []
      : warn(`ntp: ${lost.join(' and ')} will have no effect: the time service of this machine is ${name}`);
  }
  if (chosen.isInstalled || (settings.own?.packages ?? packages).length > 0) return [];
  return warn(
    `The time service ${printable(name)} is not on this machine, and no package is known that has it`,
  );
}

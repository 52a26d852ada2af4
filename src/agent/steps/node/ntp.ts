import type { NtpSettings } from '../../document/document.ts';
import { failed } from '../../engine/failure.ts';
import type { Host } from '../../host/host.ts';
import type { Work } from '../kind/step-kind.ts';
import { Problem } from '../tools/problem.ts';
import { systemdRuns } from '../tools/systemd.ts';
import { runTool } from '../tools/tool.ts';
import { configOf, installedService, type TimeService, unitOf } from './time/services.ts';
import { isOurs, timesyncdDropIn, withSources } from './time/sources.ts';

/**
 * Configures the machine's time service with user data's servers (cloud-init's `cc_ntp`): the first installed
 * one of chrony, systemd-timesyncd and ntp. As in cloud-init, it installs nothing, and `enabled: false`
 * changes nothing. Without servers and pools, the distribution's own stay.
 */
export const setUpTime: Work<NtpSettings> = (settings) => ({
  onFailure: 'continue',
  async run({ host, signal }) {
    if (!settings.enabled) return { done: true, message: 'left as it is (enabled: false)' };
    const service = await installedService(host, settings.client);
    if (!service) {
      const cause =
        settings.client === undefined
          ? 'No time service is installed (systemd-timesyncd, chrony or ntp), so nothing keeps the clock right'
          : `The time service ${settings.client}, which the user data name, is not installed`;
      return failed('TimeSyncNotSetUp', cause);
    }
    try {
      if (asksForMore(settings)) await configure(host, service, settings);
      const running = await apply(host, service, signal);
      return { done: true, message: `${service.name} configured${running}` };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return failed(error.code, error.message, error.more);
    }
  },
});

function asksForMore({ servers, pools, peers = [], allow = [] }: NtpSettings): boolean {
  return servers.length + pools.length + peers.length + allow.length > 0;
}

async function configure(host: Host, service: TimeService, settings: NtpSettings): Promise<void> {
  const { path, text } = await configOf(host, service);
  if (service.style === 'drop-in') {
    const wanted = timesyncdDropIn(settings);
    if (text !== wanted) await host.files.write(path, wanted);
    return;
  }
  const aside = `${path}.dist`;
  const original =
    text === undefined || isOurs(text) ? (await host.files.readIfPresent(aside))?.toString('utf8') : text;
  // Chrony says whom it serves; ntpd serves everybody whom its own restrictions do not keep out.
  const allowed = service.name === 'chrony' ? (settings.allow ?? []).map((each) => `allow ${each}`) : [];
  const wanted = withSources(original ?? service.otherwise, settings, allowed);
  if (text === wanted) return;
  // cloud-init renames it; a copy leaves the service a configuration at every moment.
  if (text !== undefined && !isOurs(text)) await host.files.write(aside, text);
  await host.files.write(path, wanted);
}

/** Starts the service with its new configuration, now and at every boot. */
async function apply(host: Host, service: TimeService, signal: AbortSignal): Promise<string> {
  if (!(await systemdRuns(host))) return '';
  const unit = await unitOf(host, service);
  if (!unit)
    throw new Problem('TimeSyncNotSetUp', `${service.name} is installed, but has no systemd service`);
  const how = { code: 'TimeSyncNotSetUp', timeoutMs: 60_000, signal } as const;
  await runTool(host, ['systemctl', 'enable', `${unit}.service`], { doing: `enable ${unit}`, ...how });
  // --no-block, because at boot the service may be ordered after something that waits for this step.
  await runTool(host, ['systemctl', 'restart', '--no-block', `${unit}.service`], {
    doing: `restart ${unit}`,
    ...how,
  });
  return ', restarting';
}

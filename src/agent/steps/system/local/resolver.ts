import type { ResolverSettings } from '../../../document/system-settings.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';

const FILE = '/etc/resolv.conf';

/** Writes resolv.conf(5). A link to a file of systemd-resolved gives way to a file. */
export const writeResolver: Work<ResolverSettings> = (settings) => ({
  onFailure: 'continue',
  run: ({ host, finding }) =>
    attempt(async () => {
      if ((await host.files.stat(FILE))?.kind === 'symlink') {
        const message = `${FILE} was a link to ${await host.files.readlink(FILE)}; it is a file now, as resolv_conf asks for.`;
        await finding({ severity: 'warning', code: 'SystemSettingFailed', message });
        await host.files.remove(FILE);
      }
      await host.files.write(FILE, resolvConf(settings));
      return settings.servers.join(' ');
    }),
});

function resolvConf({ servers, search, domain, sortlist, options }: ResolverSettings): string {
  const lines = [
    '# Made by Slipway from the user data of this machine',
    ...servers.map((server) => `nameserver ${server}`),
    ...(search.length > 0 ? [`search ${search.join(' ')}`] : []),
    ...(domain === undefined ? [] : [`domain ${domain}`]),
    ...(sortlist.length > 0 ? [`sortlist ${sortlist.join(' ')}`] : []),
    ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

import type { Host } from '../../../host/host.ts';
import { presentMode } from '../../tools/present-mode.ts';

const FILE = '/etc/doas.conf';

/** Gives a user its doas rules, once (cloud-init's `write_doas_rules`); what is there already stays. */
export async function writeDoasRules(host: Host, user: string, rules: readonly string[]): Promise<void> {
  const present = (await host.files.readIfPresent(FILE))?.toString('utf8');
  const block = ['', `# Rules for ${user}`, ...rules, ''].join('\n');
  if (present?.includes(block)) return;
  const head = '# Made by Slipway from the user data of this machine\n';
  const mode = await presentMode(host, FILE, 0o440);
  await host.files.write(FILE, `${present ?? head}${block}`, { mode });
}

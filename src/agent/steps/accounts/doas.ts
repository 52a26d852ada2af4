import type { Host } from '../../host/host.ts';

const FILE = '/etc/doas.conf';

/** Gives a user its doas rules, once (cloud-init's `write_doas_rules`); what is there already stays. */
export async function writeDoasRules(host: Host, user: string, rules: readonly string[]): Promise<void> {
  const present = (await host.files.readIfPresent(FILE))?.toString('utf8');
  const block = ['', `# Rules for ${user}`, ...rules, ''].join('\n');
  if (present?.includes(block)) return;
  const head = '# Made by Slipway from the user data of this machine\n';
  if (present === undefined) await host.files.write(FILE, `${head}${block}`, { mode: 0o440 });
  else await host.files.write(FILE, present + block, { mode: (await host.files.stat(FILE))?.mode ?? 0o440 });
}

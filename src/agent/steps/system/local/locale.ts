import type { SystemSettings } from '../../../document/system-settings.ts';
import type { Host } from '../../../host/host.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { isSystemdRunning } from '../../../tools/systemd.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';

const SUPPORTED = '/usr/share/i18n/SUPPORTED';
const WANTED = '/etc/locale.gen';
/** Every C library has these. */
const BUILT_IN = ['c', 'c.utf-8', 'c.utf8', 'posix'];

/** The system's LANG; where locales are made on the machine (Debian), it is made too (cloud-init's `cc_locale`). */
export const setLocale: Work<{ name: string; file?: string }> = ({ name, file }) => ({
  onFailure: 'continue',
  run: ({ host, signal }) =>
    attempt(async () => {
      const isDebian = (await host.files.stat('/etc/debian_version')) !== undefined;
      const path = file ?? (isDebian ? '/etc/default/locale' : '/etc/locale.conf');
      const isMade = isDebian && !BUILT_IN.includes(name.toLowerCase()) && (await make(host, name, signal));
      const present = (await host.files.readIfPresent(path))?.toString('utf8') ?? '';
      const wanted = withLang(present, name, isDebian);
      if (wanted !== present) await host.files.write(path, wanted);
      return isMade ? `${name}, made` : name;
    }),
});

/** The text of the file with LANG set; unchanged if it is. Debian's takes no quotes off in some readers. */
function withLang(text: string, name: string, isDebian: boolean): string {
  const line = isDebian || /^[\w.@-]+$/.test(name) ? `LANG=${name}` : `LANG="${name}"`;
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const at = lines.findIndex((each) => /^\s*(?:export\s+)?LANG=/.test(each));
  if (at === -1) lines.push(line);
  else lines[at] = line;
  return `${lines.join('\n')}\n`;
}

/** The line of SUPPORTED for `name`: of its charset if there is one, else of UTF-8 (cloud-init's `_lookup_supported_i18n_value`). */
export function supportedLine(supported: string, name: string): string {
  const [, base, charset, variant] = /^([A-Za-z_]+)(?:\.([A-Za-z0-9-]+))?(?:@([\w-]+))?$/.exec(name) ?? [];
  const prefix = base === undefined ? name : base + (variant === undefined ? '' : `@${variant}`);
  const candidates = supported
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith(prefix))
    .filter((line) => /^(?:\.[^\s@]+)?(?:@\S+)?\s+\S+$/.test(line.slice(prefix.length)));
  const exact = candidates.find(
    (line) =>
      charset !== undefined && new RegExp(`^\\.${charset}(?:@\\S+)?\\s`).test(line.slice(prefix.length)),
  );
  const first = candidates.find((line) => /\sUTF-8$/i.test(line)) ?? candidates[0];
  return exact ?? first ?? `${prefix}.${charset ?? 'UTF-8'} ${charset ?? 'UTF-8'}`;
}

async function make(host: Host, name: string, signal: AbortSignal): Promise<boolean> {
  if (!(await host.processes.which('locale-gen'))) return false;
  const supported = (await host.files.readIfPresent(SUPPORTED))?.toString('utf8') ?? '';
  const wanted = supportedLine(supported, name);
  const present = (await host.files.readIfPresent(WANTED))?.toString('utf8') ?? '';
  const lines = present.replace(/\n$/, '').split('\n');
  const at = lines.findIndex((each) => each.replace(/^#\s*/, '').trim() === wanted);
  if (at === -1) lines.push(wanted);
  else lines[at] = wanted;
  await host.files.write(WANTED, `${lines.join('\n').replace(/^\n/, '')}\n`);
  await runTool(host, ['locale-gen'], {
    doing: `make the locale ${name}`,
    code: 'SystemSettingFailed',
    timeoutMs: 600_000,
    signal,
  });
  return true;
}

type Keyboard = NonNullable<SystemSettings['keyboard']>;

/** The layout of the console's keyboard (cloud-init's `cc_keyboard`): a file on Debian, localectl elsewhere. */
export const setKeyboard: Work<Keyboard> = ({ layout, model, variant, options }) => ({
  onFailure: 'continue',
  run: ({ host, signal }) =>
    attempt(async () => {
      if (await host.files.stat('/etc/debian_version')) {
        const lines = [
          ['XKBMODEL', model],
          ['XKBLAYOUT', layout],
          ['XKBVARIANT', variant],
          ['XKBOPTIONS', options],
        ].map(([name, value]) => `${name}="${value}"`);
        const text = ['# Made by Slipway from the user data of this machine', '', ...lines];
        await host.files.write('/etc/default/keyboard', `${[...text, '', 'BACKSPACE="guess"'].join('\n')}\n`);
        if (await isSystemdRunning(host))
          await runTool(host, ['systemctl', 'try-restart', '--no-block', 'console-setup.service'], {
            ...{
              doing: 'restart console-setup',
              code: 'SystemSettingFailed' as const,
              accept: [0, 5],
              signal,
            },
          });
        return layout;
      }
      await runTool(host, ['localectl', 'set-x11-keymap', layout, model, variant, options], {
        doing: `set the keyboard to ${layout}`,
        code: 'SystemSettingFailed',
        signal,
      });
      return layout;
    }),
});

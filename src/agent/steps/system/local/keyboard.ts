import type { SystemSettings } from '../../../document/system-settings.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { isSystemdRunning } from '../../../tools/systemd.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/attempt.ts';

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

import type { Work } from '../../kind/step-kind.ts';

/** Prints the message that user data gives for the end, with what it asks for filled in (cloud-init's `cc_final_message`). */
export const printMessage: Work<{ template: string }> = ({ template }) => ({
  when: 'every-boot',
  onFailure: 'continue',
  async run({ host, output }) {
    const values: Record<string, string> = {
      uptime: (host.clock.monotonic() / 1000).toFixed(2),
      timestamp: host.clock.now().toUTCString().replace('GMT', '+0000'),
      version: 'slipway',
      datasource: 'slipway',
    };
    const text = template
      .replace(/^## template: ?jinja\n/, '')
      .replace(/\{\{\s*(\w+)\s*\}\}|\$\{?(\w+)\}?/g, (whole, inBraces?: string, plain?: string) => {
        const value = values[(inBraces ?? plain ?? '').toLowerCase()];
        return value ?? whole;
      });
    for (const line of text.split('\n')) output(line, 'stderr');
    return { done: true };
  },
});

import { UsageError } from '../../kit/errors.ts';
import { visibleOutput } from '../../kit/terminal/visible.ts';
import { AgentBusyError } from '../bootstrap/with-verdict.ts';
import { createHost } from '../create-host.ts';
import { isKubeadmRunning, type ResetReport, resetNode } from '../reset/reset.ts';
import { wakeReporter } from '../tools/wake-reporter.ts';
import { formatOption, requireRoot, withUsageErrors } from './options/options.ts';
import { version } from './process/version.ts';

interface ResetFlags {
  yes?: boolean;
  output: string;
}

const QUESTION = `This stops the kubelet and all pods of this machine, deletes its certificates and, on a control plane,
takes its etcd member out of the cluster and deletes its data. Go on? [y/N] `;

/** `slipway reset`: 0 when the machine is as it was before, 1 when something could not be done, 2 without consent. */
export function resetCommand(flags: ResetFlags): Promise<number> {
  return withUsageErrors(async () => {
    const format = formatOption(flags.output);
    requireRoot('reset this machine', 'slipway reset');
    if (!flags.yes) await askForConsent();
    const host = createHost();
    host.processes.nameSelf('slipway');
    const lock = await host.lock('agent');
    if ('heldBy' in lock) {
      const busy = new AgentBusyError(lock.heldBy);
      process.stderr.write(`slipway: ${busy.message}; wait for it (slipway status --wait), or stop it\n`);
      return 1;
    }
    try {
      if (await isKubeadmRunning(host)) {
        process.stderr.write(
          'slipway: kubeadm is still running; wait for it, or stop it (pkill -x kubeadm)\n',
        );
        return 1;
      }
      const report = await resetNode(host, {
        agent: version().version,
        onLine: (line) => process.stderr.write(`${visibleOutput(line)}\n`),
      });
      await wakeReporter(host);
      process.stdout.write(
        format === 'json' ? `${JSON.stringify({ version: 1, ...report }, undefined, 2)}\n` : asText(report),
      );
      return report.problems.length === 0 ? 0 : 1;
    } finally {
      await lock.release();
    }
  });
}

/** @throws UsageError when nobody can be asked, or the answer is no. */
async function askForConsent(): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError('reset takes this node apart; say so with --yes, or run it on a terminal');
  process.stderr.write(QUESTION);
  for await (const chunk of process.stdin) {
    if (/^\s*y(?:es)?\s*$/i.test(String(chunk))) return;
    break;
  }
  throw new UsageError('nothing was changed');
}

const HEADLINES: Record<ResetReport['kubeadm'], string> = {
  reset: 'This machine is no node any more.',
  failed: 'This machine was taken apart as far as possible.',
  'not needed': 'This machine was no node; nothing of kubeadm was found.',
};

function asText({ kubeadm, removed, remains, problems }: ResetReport): string {
  const lines = [HEADLINES[kubeadm], ...problems.map((problem) => `not done: ${problem}`)];
  if (removed.length > 0) lines.push('', 'Removed:', ...removed.map((path) => `  ${path}`));
  if (remains.length > 0) {
    lines.push('', 'Still there:');
    for (const { what, how } of remains) lines.push(`  ${what}${how === undefined ? '' : `\n      ${how}`}`);
  }
  return `${lines.join('\n')}\n`;
}

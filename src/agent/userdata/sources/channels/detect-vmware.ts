import type { PlatformInfo } from '../../../platform/platform-info.ts';

/** VMware's hypervisor, or an environment that stands for its guestinfo. */
export async function detectVmware({ dmi, host }: PlatformInfo): Promise<string | undefined> {
  if (host.env('VMX_GUESTINFO')) return 'VMX_GUESTINFO is in the environment';
  return dmi('sys_vendor').startsWith('VMware') ? `sys_vendor is ${dmi('sys_vendor')}` : undefined;
}

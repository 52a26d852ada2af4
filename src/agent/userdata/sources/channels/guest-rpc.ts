import { type Host, HostError } from '../../../host/host.ts';
import { vmwareTool } from '../../../host/vmware-tool.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';

const TIMEOUT_MS = 20_000;
/** The host allows 64 KiB, or 1 MiB by a setting; base64 and all. */
const KEEP_BYTES = 8 * 1024 * 1024;

/** VMware's channel between guest and host, which only root may use, through the tools of the image. */
export interface GuestRpc {
  /** For people: the program that speaks it. */
  tool: string;
  /** Undefined where the key has no value. @throws HostError where the tool fails */
  get(key: string): Promise<string | undefined>;
  /** @throws HostError */
  set(key: string, value: string): Promise<void>;
}

/** Undefined where the image has none of VMware's tools. */
export async function openGuestRpc(host: Host): Promise<GuestRpc | undefined> {
  const program = await vmwareTool(host);
  if (program === undefined) return undefined;
  const [tool] = program;
  const call = async (words: string) => {
    const limits = { timeoutMs: TIMEOUT_MS, keepBytes: KEEP_BYTES };
    return host.processes.run({ argv: [...program, words], env: { LC_ALL: 'C' }, ...limits });
  };
  return {
    tool,
    async get(key) {
      const { exitStatus, stdout, stderr, timedOut } = await call(`info-get guestinfo.${key}`);
      const value = stdout.trimEnd();
      if (exitStatus === 0) return value === '' || value === '---' ? undefined : value;
      if (/no value found/i.test(stdout + stderr)) return undefined;
      const why = timedOut
        ? 'it took too long'
        : (stderr.trim().split('\n')[0] ?? `exit status ${exitStatus}`);
      throw new HostError(`${tool} could not read guestinfo.${key}: ${why}`, 'EIO');
    },
    async set(key, value) {
      const { exitStatus } = await call(`info-set guestinfo.${key} ${value}`);
      if (exitStatus !== 0) throw new HostError(`${tool} could not set guestinfo.${key}`, 'EIO');
    },
  };
}

/** VMware's hypervisor, or an environment that stands for its guestinfo. */
export async function detectVmware({ dmi, host }: PlatformInfo): Promise<string | undefined> {
  if (host.env('VMX_GUESTINFO')) return 'the environment variable VMX_GUESTINFO is set';
  return dmi('sys_vendor').startsWith('VMware') ? `sys_vendor is ${dmi('sys_vendor')}` : undefined;
}

import type { Host } from '../../host/host.ts';

/** Reads the system facts for jinja templates; missing ones are empty strings. */
export async function readOsFacts(host: Host): Promise<OsFacts> {
  const osRelease = (await text(host, '/etc/os-release')) ?? (await text(host, '/usr/lib/os-release')) ?? '';
  let parsed: Map<string, string> | undefined;
  const release = (key: string) => {
    parsed ??= parseOsRelease(osRelease);
    return parsed.get(key) ?? '';
  };
  return {
    // Parsed for who asks: most templates ask for nothing of it.
    get distro() {
      return release('ID');
    },
    get distroVersion() {
      return release('VERSION_ID');
    },
    get distroRelease() {
      return release('VERSION_CODENAME');
    },
    kernelRelease: (await text(host, '/proc/sys/kernel/osrelease'))?.trim() ?? '',
    machine:
      (await text(host, '/proc/sys/kernel/arch'))?.trim() ??
      KERNEL_ARCHITECTURES[process.arch] ??
      process.arch,
    hostname: host.hostname(),
  };
}

/** Kernels before 6.1 have no /proc/sys/kernel/arch, and Node.js has its own names for machines. */
export const KERNEL_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

async function text(host: Host, path: string): Promise<string | undefined> {
  return (await host.files.readIfPresent(path))?.toString('utf8');
}

/** Parses the assignments of os-release(5) and undoes quotes and backslashes. */
export function parseOsRelease(content: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const line of content.split('\n')) {
    const match = /^\s*([A-Z0-9_]+)=(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S*))\s*$/.exec(line);
    if (match?.[1] === undefined) continue;
    values.set(match[1], match[2]?.replace(/\\(.)/g, '$1') ?? match[3] ?? match[4] ?? '');
  }
  return values;
}

/** The system facts in cloud-init's `v1` variables; they come from os-release and the kernel. */
export interface OsFacts {
  /** ID of os-release, e.g. `debian`. */
  distro: string;
  /** VERSION_ID, e.g. `12`. */
  distroVersion: string;
  /** VERSION_CODENAME, e.g. `bookworm`. */
  distroRelease: string;
  /** `uname -r`. */
  kernelRelease: string;
  /** `uname -m`, e.g. `x86_64`. */
  machine: string;
  /** The host name in force, for machines whose metadata has none. */
  hostname: string;
}

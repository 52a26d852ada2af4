import { parseOsRelease } from '../../platform/instance/read-os-facts.ts';
import type { Reading } from '../reading/fact-reader.ts';
import type { Facts } from '../reading/facts.ts';
import { defined } from '../reading/omit-undefined.ts';

/** The kernel's release, and that of the operating system below. */
export async function readKernel(reading: Reading): Promise<Facts['kernel']> {
  return defined({
    release: await reading.text('kernel.release', '/proc/sys/kernel/osrelease'),
    version: await reading.text('kernel.version', '/proc/sys/kernel/version'),
  });
}

export async function readOs(reading: Reading): Promise<Facts['os']> {
  const paths = ['/etc/os-release', '/usr/lib/os-release'];
  for (const path of paths) {
    const text = await reading.lines('os', path, 64 * 1024);
    if (text === undefined) continue;
    const release = parseOsRelease(text);
    const field = (fact: string, name: string) => {
      reading.from[`os.${fact}`] = path;
      return reading.clean(`os.${fact}`, path, Buffer.from(release.get(name) ?? ''));
    };
    return defined({
      id: field('id', 'ID'),
      name: field('name', 'PRETTY_NAME'),
      version: field('version', 'VERSION_ID'),
    });
  }
  if (!reading.remarks.some(({ path }) => paths.includes(path)))
    reading.remark('os', '/etc/os-release', 'it is not there');
  return {};
}

const CGROUPS = '/sys/fs/cgroup';

export async function readCgroups(reading: Reading): Promise<string | undefined> {
  reading.from.cgroups = CGROUPS;
  if (await reading.has(`${CGROUPS}/cgroup.controllers`)) return 'v2';
  if (await reading.has(`${CGROUPS}/unified/cgroup.controllers`)) return 'hybrid';
  if ((await reading.list('cgroups', CGROUPS)).length > 0) return 'v1';
  delete reading.from.cgroups;
  return undefined;
}

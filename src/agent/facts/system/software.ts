import { omitUndefined } from '../../../kit/json.ts';
import { parseOsRelease } from '../../platform/instance/read-os-facts.ts';
import type { FactReader } from '../reading/fact-reader.ts';
import type { Facts } from '../reading/facts.ts';

/** The kernel's release, and that of the operating system below. */
export async function readKernel(reader: FactReader): Promise<Facts['kernel']> {
  return omitUndefined({
    release: await reader.text('kernel.release', '/proc/sys/kernel/osrelease'),
    version: await reader.text('kernel.version', '/proc/sys/kernel/version'),
  });
}

export async function readOs(reader: FactReader): Promise<Facts['os']> {
  const paths = ['/etc/os-release', '/usr/lib/os-release'];
  for (const path of paths) {
    const text = await reader.lines('os', path, 64 * 1024);
    if (text === undefined) continue;
    const release = parseOsRelease(text);
    const field = (fact: string, name: string) => {
      reader.from[`os.${fact}`] = path;
      return reader.clean(`os.${fact}`, path, Buffer.from(release.get(name) ?? ''));
    };
    return omitUndefined({
      id: field('id', 'ID'),
      name: field('name', 'PRETTY_NAME'),
      version: field('version', 'VERSION_ID'),
    });
  }
  if (!reader.remarks.some(({ path }) => paths.includes(path)))
    reader.remark('os', '/etc/os-release', 'it is not there');
  return {};
}

const CGROUPS = '/sys/fs/cgroup';

export async function readCgroups(reader: FactReader): Promise<string | undefined> {
  reader.from.cgroups = CGROUPS;
  if (await reader.has(`${CGROUPS}/cgroup.controllers`)) return 'v2';
  if (await reader.has(`${CGROUPS}/unified/cgroup.controllers`)) return 'hybrid';
  if ((await reader.list('cgroups', CGROUPS)).length > 0) return 'v1';
  delete reader.from.cgroups;
  return undefined;
}

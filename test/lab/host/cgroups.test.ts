import { describe, expect, it } from 'vitest';
import { parseHierarchies } from './cgroups.ts';

describe('parseHierarchies', () => {
  it('reads a host with version 1 and joint controllers', () => {
    const text = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct
33 31 0:30 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd
34 31 0:31 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`;
    expect(parseHierarchies(text)).toEqual([
      { mountpoint: '/sys/fs/cgroup/cpu,cpuacct', name: 'cpu,cpuacct', version: 1, options: 'cpu,cpuacct' },
      { mountpoint: '/sys/fs/cgroup/systemd', name: 'systemd', version: 1, options: 'none,name=systemd' },
      { mountpoint: '/sys/fs/cgroup/unified', name: 'unified', version: 2, options: '' },
    ]);
  });

  it('reads a host with version 2 alone', () => {
    const text =
      '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n';
    expect(parseHierarchies(text)).toEqual([
      { mountpoint: '/sys/fs/cgroup', name: '', version: 2, options: '' },
    ]);
  });
});

import { expect, test } from 'vitest';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { followUnits } from './follow-units.ts';

/** What is followed of a journal that hands on these lines of the kubelet, in local time, as klog has it. */
function followed(begun: Date, lines: readonly string[]): readonly string[] {
  const base = createLinuxHost();
  const host: Host = {
    ...base,
    clock: { ...base.clock, now: () => begun },
    processes: {
      ...base.processes,
      run: async ({ onLine }) => {
        for (const line of lines) onLine?.(`Nov 22 17:47:30 w1 kubelet[280]: ${line}`, 'stdout');
        return { exitStatus: 0, stdout: '', stderr: '', timedOut: false, ms: 1 };
      },
    },
  };
  return followUnits(host, () => undefined).kubelet;
}

const OLD = 'F1122 17:47:11.818945     280 server.go:156] unknown flag: --no-such-flag';
const SAME = 'E1122 17:47:20.000001     281 server.go:156] written in the second in which following began';
const LATER = 'E1122 17:47:29.000001     281 server.go:156] written since';
const NEAR = 'E1122 17:32:25.000001     281 server.go:156] written since, a quarter of an hour further west';
const ELSEWHERE = 'E1122 12:47:21.000001     281 server.go:156] written since, five hours further west';

test('what a kubelet wrote before following began is no evidence, however late the journal hands it on', () => {
  const begun = new Date(2026, 10, 22, 17, 47, 20, 400);
  expect(followed(begun, [OLD, SAME, 'no head of klog', LATER, NEAR, ELSEWHERE])).toEqual([
    SAME,
    'no head of klog',
    LATER,
    NEAR,
    ELSEWHERE,
  ]);
});

test('a day begins while it is followed', () => {
  const begun = new Date(2026, 10, 22, 23, 59, 58);
  expect(followed(begun, ['E1123 00:00:01.000001     281 server.go:156] after midnight'])).toHaveLength(1);
  expect(followed(new Date(2026, 10, 23), ['E1122 23:59:58.000001     281 server.go:156] before'])).toEqual(
    [],
  );
});

import { startStrangers } from '../../support/controller/strangers.ts';
import { fleetName, percentile, runFleet } from '../fleet/fleet.ts';
import { counter, cpuOf, openScene } from '../fleet/scene.ts';
import type { Row } from '../row.ts';

/** A fleet boots while strangers hold all that they can: how long its verdicts take then. */
export const hostile: Row = async ({ runs: machines = 300, say }) => {
  // The limits that a controller has by itself.
  const scene = await openScene(say, ['--strangers-per-second=50']);
  let end: (() => Promise<void>) | undefined;
  try {
    const { port, adminPort, probePort } = scene.controller;
    for (let at = 0; at < machines; at += 1) await scene.cluster.createMachine(fleetName(at));
    end = await startStrangers({
      ...{ port, halfSent: 1_150, halfSentFrom: 9, silent: 6_000, silentFrom: 24 },
      ...{ plain: [adminPort, probePort], idle: 70 },
    });
    say('the attack holds');
    const before = { at: performance.now(), cpuMs: cpuOf(scene.controller.pid) };
    const { verdicts, troubles } = await runFleet({
      ...{ machines, perSecond: 5, seconds: 20, batches: 10, events: 40 },
      ...{ port, ca: scene.ca, token: scene.token, client: scene.cluster.client },
    });
    const share = (cpuOf(scene.controller.pid) - before.cpuMs) / (performance.now() - before.at);
    const refused = await counter(scene, 'slipway_refusals_total');
    const most = { direction: 'most', goal: 1000, unit: 'ms' } as const;
    return {
      about: `${machines} machines boot among 1,150 half-sent enrolments of 9 addresses, 6,000 silent connections of 24 and 70 on each plain port`,
      runs: 1,
      standings: [],
      verdicts: [
        { what: 'verdict sent to condition seen, p50', value: percentile(verdicts, 0.5), ...most },
        { what: 'verdict sent to condition seen, p99', value: percentile(verdicts, 0.99), ...most },
        {
          ...{ what: "machines' requests that had to be made again", direction: 'most', unit: 'count' },
          ...{ value: [...troubles.values()].reduce((sum, count) => sum + count, 0), goal: 0 },
        },
      ],
      notes: [
        `${refused} connections and requests were refused; the controller took ${(share * 100).toFixed(0)} % of a core`,
        ...[...troubles].map(([why, count]) => `tried again ${count} times: ${why}`),
      ],
    };
  } finally {
    await end?.();
    await scene.close();
  }
};

import { fleetName, percentile, runFleet } from '../fleet/fleet.ts';
import { RealReporter } from '../fleet/real-reporter.ts';
import { openScene } from '../fleet/scene.ts';
import type { Row } from '../row.ts';

const REPEATS = 20;

/** From the verdict on the machine to the condition on its Machine: one real reporter, then 1,000 simulated machines. */
export const report: Row = async ({ runs: machines = 1_000, say }) => {
  const scene = await openScene(say);
  try {
    const single: number[] = [];
    const lost: number[] = [];
    for (let at = 0; at < REPEATS; at += 1) {
      const reporter = await RealReporter.start(scene, `real-${at}`);
      try {
        if (at % 2 === 0) single.push(await reporter.succeed());
        else lost.push(await reporter.kill());
      } finally {
        await reporter.stop();
      }
    }
    say(`one machine: ${single.map((ms) => ms.toFixed(0)).join(' ')} ms`);
    for (let at = 0; at < machines; at += 50) {
      await Promise.all(
        Array.from({ length: Math.min(50, machines - at) }, (_, i) =>
          scene.cluster.createMachine(fleetName(at + i)),
        ),
      );
    }
    const many = await runFleet({
      ...{ machines, perSecond: 15, seconds: 30, batches: 10, events: 40 },
      ...{ port: scene.controller.port, ca: scene.ca, token: scene.token, client: scene.cluster.client },
    });
    const goal = { direction: 'most', unit: 'ms' } as const;
    return {
      about: `from outcome.json on the machine to the condition through the API server`,
      runs: 1,
      standings: [],
      verdicts: [
        {
          what: `one machine with a real reporter, p50 of ${single.length}`,
          value: percentile(single, 0.5),
          goal: 1000,
          ...goal,
        },
        {
          what: `one machine with a real reporter, the slowest`,
          value: Math.max(...single),
          goal: 1000,
          ...goal,
        },
        {
          what: `kill -9 of the agent to False, the slowest of ${lost.length}`,
          value: Math.max(...lost),
          goal: 3000,
          ...goal,
        },
        {
          what: `${machines} simulated machines, p50`,
          value: percentile(many.verdicts, 0.5),
          goal: 1000,
          ...goal,
        },
        {
          what: `${machines} simulated machines, p99`,
          value: percentile(many.verdicts, 0.99),
          goal: 1000,
          ...goal,
        },
      ],
      notes: [...many.troubles].map(([why, count]) => `tried again ${count} times: ${why}`),
    };
  } finally {
    await scene.close();
  }
};

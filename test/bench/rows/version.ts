import { nodeBinary } from '../../../build/project.ts';
import { interleave } from '../measure/interleave.ts';
import { measure } from '../measure/measure.ts';
import type { Row } from '../row.ts';
import { slipwayBinary } from '../slipway-binary.ts';

/** Start-up: `slipway version` against a Node.js of the same version that does nothing. */
export const version: Row = async ({ runs = 21 }) => {
  const slipway = slipwayBinary();
  const standings = await interleave(
    [
      { label: 'node -e 0', run: () => measure([nodeBinary(), '-e', '0']) },
      { label: 'slipway version', run: () => measure([slipway, 'version']) },
    ],
    runs,
  );
  const [node, own] = standings;
  const ratio = (figure: 'wallMs' | 'cpuMs'): number =>
    (own?.[figure] ?? Number.NaN) / (node?.[figure] ?? Number.NaN);
  const goal = { goal: 1.25, direction: 'most', unit: 'times' } as const;
  return {
    about: 'start-up: slipway version against bare Node.js',
    runs,
    standings,
    verdicts: [
      { what: 'wall time of slipway / node', value: ratio('wallMs'), ...goal },
      { what: 'CPU time of slipway / node', value: ratio('cpuMs'), ...goal },
    ],
    notes: [],
  };
};

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeBinary } from '../../../build/project.ts';
import { requirements } from '../../lab/host/requirements.ts';
import { withScratchDir } from '../../lab/root/in-root.ts';
import { CLOUD_INIT_BOOT, cloudInitRoot } from '../../lab/root/oracle.ts';
import { makeCertificates } from '../../support/cluster-api/certificates.ts';
import { applyDocument } from '../apply/apply-document.ts';
import { applyOnce } from '../apply/bench-root.ts';
import { interleave, type Standing } from '../measure/interleave.ts';
import { BenchError, measure } from '../measure/measure.ts';
import type { Row, Verdict } from '../row.ts';
import { slipwayBinary } from '../slipway-binary.ts';

const CLOUD_INIT_PREPARE = `
seed="$BENCH_ROOT/var/lib/cloud/seed/nocloud"
mkdir -p "$seed"
cp "$BENCH_INPUT/user-data" "$BENCH_INPUT/meta-data" "$seed"`;

/** What a bootstrap of the document may take of CPU beside a Node.js that does nothing. */
const MOST_CPU_MS = 80;

/** A control-plane document below a root: Slipway and real cloud-init, every process counted, and a bare Node.js. */
export const apply: Row = async ({ runs = 7, say }) => {
  const slipway = slipwayBinary();
  const { ok, missing } = await requirements();
  if (!ok) throw new BenchError(`cannot be measured here: ${missing.join('; ')}`);
  const lower = await cloudInitRoot(say);
  const document = applyDocument((await makeCertificates()).files);
  return withScratchDir(async (input) => {
    writeFileSync(join(input, 'user-data'), document.userData);
    writeFileSync(join(input, 'meta-data'), document.metaData);
    const data = ['--user-data', join(input, 'user-data'), '--meta-data', join(input, 'meta-data')];
    const standings = await interleave(
      [
        {
          label: 'slipway bootstrap',
          run: () =>
            applyOnce(
              { lower, input, command: (root) => [slipway, 'bootstrap', '--root', root, ...data] },
              document,
            ),
        },
        {
          label: 'cloud-init, 4 stages',
          run: () =>
            applyOnce(
              {
                lower,
                input,
                prepare: CLOUD_INIT_PREPARE,
                command: (root) => ['chroot', root, 'sh', '-ec', CLOUD_INIT_BOOT],
              },
              document,
            ),
        },
        { label: 'node -e 0', run: () => measure([nodeBinary(), '-e', '0']) },
      ],
      runs,
    );
    return {
      about: 'a control-plane document, 12 files and 6 commands, below a root',
      runs,
      standings,
      verdicts: verdicts(standings),
      notes: [],
    };
  });
};

function verdicts([slipway, cloudInit, node]: readonly Standing[]): Verdict[] {
  const times = (figure: 'wallMs' | 'cpuMs'): number =>
    (cloudInit?.[figure] ?? Number.NaN) / (slipway?.[figure] ?? Number.NaN);
  const faster = { goal: 10, direction: 'least', unit: 'times' } as const;
  return [
    { what: 'wall time of cloud-init / slipway', value: times('wallMs'), ...faster },
    { what: 'CPU time of cloud-init / slipway', value: times('cpuMs'), ...faster },
    {
      what: 'CPU time of slipway over bare node',
      value: (slipway?.cpuMs ?? Number.NaN) - (node?.cpuMs ?? Number.NaN),
      goal: MOST_CPU_MS,
      direction: 'most',
      unit: 'ms',
    },
  ];
}

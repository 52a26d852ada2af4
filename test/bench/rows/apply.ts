import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requirements } from '../../lab/host/requirements.ts';
import { withScratchDir } from '../../lab/root/in-root.ts';
import { CLOUD_INIT_BOOT, cloudInitRoot, ignitionBinary } from '../../lab/root/oracle.ts';
import { makeCertificates } from '../../support/cluster-api/certificates.ts';
import { applyDocument } from '../apply/apply-document.ts';
import { applyOnce, type Job } from '../apply/bench-root.ts';
import { interleave, type Standing } from '../measure/interleave.ts';
import { BenchError } from '../measure/measure.ts';
import type { Row, Verdict } from '../row.ts';
import { slipwayBinary } from '../slipway-binary.ts';

/** All stages of an Ignition boot that have work with this configuration. */
const IGNITION = `
for stage in fetch-offline fetch files; do
  "$1" --platform file --root "$2" --stage $stage --log-to-stdout \\
    --config-cache /run/ignition.json --state-file /run/ignition/state --neednet /run/ignition/neednet
done
[ -z "$3" ] || sh -e "$3" "$2"`;

/** Ignition insists on an SELinux policy's name and on a program that relabels. */
const IGNITION_PREPARE = `
mkdir -p /run/ignition /run/bin "$BENCH_ROOT/etc/selinux"
ln -s /bin/true /run/bin/setfiles
printf 'SELINUX=disabled\\nSELINUXTYPE=targeted\\n' > "$BENCH_ROOT/etc/selinux/config"
export PATH="/run/bin:$PATH" IGNITION_CONFIG_FILE="$BENCH_INPUT/config.ign"`;

const CLOUD_INIT_PREPARE = `
seed="$BENCH_ROOT/var/lib/cloud/seed/nocloud"
mkdir -p "$seed"
cp "$BENCH_INPUT/user-data" "$BENCH_INPUT/meta-data" "$seed"`;

/** A control-plane document below a root: Slipway, real cloud-init and real Ignition, every process counted. */
export const apply: Row = async ({ runs = 7, say }) => {
  const slipway = slipwayBinary();
  const { ok, missing } = await requirements();
  if (!ok) throw new BenchError(`cannot be measured here: ${missing.join('; ')}`);
  const [lower, ignition] = [await cloudInitRoot(say), await ignitionBinary(say)];
  const document = applyDocument((await makeCertificates()).files);
  return withScratchDir(async (input) => {
    writeFileSync(join(input, 'user-data'), document.userData);
    writeFileSync(join(input, 'meta-data'), document.metaData);
    writeFileSync(join(input, 'config.ign'), document.ignition);
    const unitCommands = join(input, 'unit-commands');
    writeFileSync(unitCommands, document.unitCommands);
    const ignitionJob = (commands: string): Job => ({
      lower,
      input,
      prepare: IGNITION_PREPARE,
      command: (root) => ['sh', '-ec', IGNITION, 'ignition-boot', ignition, root, commands],
    });
    const data = ['--user-data', join(input, 'user-data'), '--meta-data', join(input, 'meta-data')];
    const standings = await interleave(
      [
        {
          label: 'slipway bootstrap',
          run: () =>
            applyOnce(
              { lower, input, command: (root) => [slipway, 'bootstrap', '--root', root, ...data] },
              document,
              true,
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
              true,
            ),
        },
        {
          label: 'Ignition, 3 stages',
          run: () => applyOnce(ignitionJob(''), document, false),
        },
        {
          label: 'Ignition and commands',
          run: () => applyOnce(ignitionJob(unitCommands), document, true),
        },
      ],
      runs,
    );
    return {
      about: 'a control-plane document, 12 files and 6 commands, below a root',
      runs,
      standings,
      verdicts: verdicts(standings),
      notes: [
        'Ignition itself only writes units for the commands; "and commands" adds running them as systemd would.',
      ],
    };
  });
};

function verdicts([slipway, cloudInit, ignition, ignitionAndCommands]: readonly Standing[]): Verdict[] {
  const times = (figure: 'wallMs' | 'cpuMs', peer: Standing | undefined): number =>
    (peer?.[figure] ?? Number.NaN) / (slipway?.[figure] ?? Number.NaN);
  const faster = (what: string, value: number, goal: number): Verdict => ({
    what,
    value,
    goal,
    direction: 'least',
    unit: 'times',
  });
  return [
    faster('wall time of cloud-init / slipway', times('wallMs', cloudInit), 10),
    faster('CPU time of cloud-init / slipway', times('cpuMs', cloudInit), 10),
    faster('wall time of Ignition / slipway', times('wallMs', ignition), 1),
    faster('CPU time of Ignition / slipway', times('cpuMs', ignition), 1),
    faster('wall time of Ignition and commands / slipway', times('wallMs', ignitionAndCommands), 1),
    faster('CPU time of Ignition and commands / slipway', times('cpuMs', ignitionAndCommands), 1),
  ];
}

import assert from 'node:assert/strict';
import type { Machine, MachineFile } from '../../lab/lab.ts';

const POOL = '/var/lib/hyperv/.kvp_pool_1';

/** A guest of Hyper-V as images for Azure have it: cloud-init writes into the pool that the host reads. */
export const HYPERV_GUEST: Record<string, MachineFile> = {
  '/etc/cloud/cloud.cfg.d/10-azure-kvp.cfg': {
    content: 'reporting:\n  logging:\n    type: log\n  telemetry:\n    type: hyperv\n',
  },
  [POOL]: { content: '' },
};

const STAGES = ['init-local', 'init-network', 'modules-config', 'modules-final'];

/** cloud-init's own reader of the pool, as Debian has it. */
const READ = `
import json
from cloudinit.reporting.handlers import HyperVKvpReportingHandler
print(json.dumps(list(HyperVKvpReportingHandler()._iterate_kvps(0))))
`;

/** Records of cloud-init and of Slipway stand in one pool, all whole, none lost. */
export async function expectPool(machine: Machine): Promise<void> {
  const records: { key: string; value: string }[] = JSON.parse(await machine.execOk(['python3', '-c', READ]));
  const { length } = records;
  assert.equal((await machine.execOk(['stat', '-c', '%s', POOL])).trim(), String(length * 2560));
  const told = records.map(({ key, value }) => {
    const [owner, incarnation, type, name] = key.split('|');
    return { owner, incarnation: Number(incarnation), type, name, ...JSON.parse(value) };
  });
  const of = (owner: string) => told.filter((record) => record.owner === owner);
  assert.equal(of('CLOUD_INIT').length + of('SLIPWAY').length, length);
  // Each stage is a process of its own; its start comes before it has read where to tell it.
  const ended = of('CLOUD_INIT').filter(({ type, name }) => type === 'finish' && STAGES.includes(name));
  assert.deepEqual(
    ended.map(({ name }) => name),
    STAGES,
  );
  assert.match(of('SLIPWAY').find(({ type }) => type === 'sequence.ended')?.msg, /^BOOTSTRAP SUCCEEDED in /);
  // Both reckon when the machine booted, from two clocks that a busy machine reads one a while after the other; a record of
  // another boot would be far off.
  const incarnations = told.map(({ incarnation }) => incarnation);
  assert.ok(Math.max(...incarnations) - Math.min(...incarnations) <= 10, `one boot: ${incarnations}`);
}

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { BOOT_LOG } from '../../../src/agent/identity/tpm/boot-log.ts';
import { bootLog, type Measured } from '../../support/tpm/boot-log.ts';
import { extendPcr, type MachineWithTpm } from '../../support/tpm/software-tpm.ts';
import type { Scene } from '../hostile/scene.ts';
import { attestedIs, policy, refused, reports } from './governed.ts';

/** The command line of the kernel; nothing else of these cases measures into it. */
const PCR = 8;
const EV_IPL = 13;

/** A machine's boot log says which event made a register differ; what is no log of this boot explains nothing. */
export async function bootLogs(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const { cluster, say } = scene;
  const { host } = machine;
  const boot = async (events: readonly Measured[] | Buffer): Promise<void> => {
    const bytes = Buffer.isBuffer(events) ? events : bootLog(events);
    await host.files.write(BOOT_LOG, bytes, { mode: 0o440, parentsMode: 0o755 });
  };
  const honest = ipl('grub_cmd: linux /vmlinuz ro quiet');
  const another = ipl('grub_cmd: linux \u001b[31m/vmlinuz\u202e init=/bin/sh\0rest');
  await policy(scene, 'logged', {
    selector: { cluster: 'logged' },
    method: 'tpm',
    registers: { pcrs: [PCR], firstUse: true },
  });
  await cluster.createMachine('p8', { cluster: 'logged', endorsementKey: machine.endorsementKey });
  await extendPcr(host, PCR, honest.digest);
  await boot([honest]);
  await reports(scene, machine, 'p8');
  const proved = await attestedIs(scene, 'p8', 'True', 'ProvedByTpm');
  assert.match(proved.message, / Its boot log explains PCR 8\. Policies: logged\.$/);

  await extendPcr(host, PCR, another.digest);
  await boot([honest, another]);
  const why =
    /because of event 2 of 2: EV_IPL "grub_cmd: linux {2}\[31m\/vmlinuz {2}init=\/bin\/sh", which was not there/;
  await refused(scene, machine, 'p8', why);
  const { message } = await attestedIs(scene, 'p8', 'False', 'TpmBootStateChanged');
  assert.match(message, why);
  say('NodeAttested names the event of the boot log that made a register differ');

  // It leads to another value, is not whole, is none, has no end, or too many events to be carried.
  await boot([honest]);
  await refused(scene, machine, 'p8', /PCR 8 .*, which its boot log does not explain/);
  const log = bootLog([honest, another]);
  const many = Array.from({ length: 8000 }, () => ({ ...honest, pcr: 2 }));
  for (const bytes of [
    log.subarray(0, -3),
    Buffer.from('no log at all'),
    Buffer.alloc(3 * 1024 * 1024, log),
    bootLog(many),
  ]) {
    await boot(bytes);
    await refused(scene, machine, 'p8', /PCR 8 \(command line of the kernel\) is [0-9a-f]{16}…\./);
  }
  await host.files.remove(BOOT_LOG);
  say(
    'a log that does not lead to the registers, is damaged, or is megabytes long explains nothing and proves nothing',
  );
}

function ipl(data: string): Measured {
  return { pcr: PCR, type: EV_IPL, digest: createHash('sha256').update(data).digest(), data };
}

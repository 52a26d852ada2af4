import assert from 'node:assert/strict';
import type { Host } from '../../../src/agent/host/host.ts';
import { ControllerTransport } from '../../../src/agent/report/transports/controller.ts';
import { bootstrapEvents } from '../../support/controller/simulated-machine.ts';
import type { Scene } from '../hostile/scene.ts';

/** The agent's own transport, which enrols by the machine's TPM. */
export function transportOf({ controller, ca }: Scene, host: Host, hostname: string): ControllerTransport {
  return new ControllerTransport({
    host,
    settings: { endpoints: [`https://localhost:${controller.port}`], ca, tpm: '/dev/tpmrm0' },
    machine: () => ({ instance: `i-${hostname}`, hostname }),
    reporter: 'case',
    log: () => undefined,
    lost: (_, why) => assert.fail(why),
  });
}

/** The events of a bootstrap. */
export function bootstrapOf({ machine }: Scene, hostname: string) {
  const made = machine({ hostname, instance: `i-${hostname}` });
  for (const event of bootstrapEvents(24)) made.tell(event);
  return { events: made.spool };
}

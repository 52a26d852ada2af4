import type { EventBody } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';

/** An event before the spool gives it a number. */
export interface Draft {
  body: EventBody;
  boot: string;
  time: string;
  mono: number;
}

/** A draft of something that happens now. */
export async function createDraft(host: Host, body: EventBody): Promise<Draft> {
  return {
    body,
    boot: await host.bootId(),
    time: host.clock.now().toISOString(),
    mono: host.clock.monotonic(),
  };
}

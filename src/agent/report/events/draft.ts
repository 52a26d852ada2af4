import { utcTime } from '../../../kit/utc-time.ts';
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
export async function draftNow(host: Host, body: EventBody): Promise<Draft> {
  return {
    body,
    boot: await host.bootId(),
    time: utcTime(host.clock.now()),
    mono: host.clock.monotonic(),
  };
}

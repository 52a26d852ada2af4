import { destroyLab } from './lab-record.ts';
import { processId } from './process/process-id.ts';
import { leaveHost } from './room.ts';

/** Run by the holder of a lab's switch when the lab's owner ended without closing it; argument: the lab's id. */
const id = process.argv[2];
if (id === undefined) {
  process.exitCode = 2;
} else {
  // This process has taken the holder's place: it must not kill itself.
  await destroyLab(id, processId(process.pid));
  await leaveHost();
}

import { wipe } from '../../../src/agent/bootstrap/wipe/wipe.ts';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import { loadDocument } from '../../../src/agent/userdata/load.ts';

// Within a machine on which cloud-init has run: what Slipway does to the copies of the user data when it has succeeded.
const host = createLinuxHost();
const loaded = await loadDocument(host, { source: 'cloud-init' });
if (loaded.kind !== 'document') throw new Error(loaded.failure.cause);
await wipe(host, loaded);

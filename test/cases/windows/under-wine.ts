import { expectAll } from './all.ts';
import { windowsMachine } from './windows-machine.ts';

// Within a root with Wine: node under-wine.ts SHARED WINEPREFIX. Without the second it is the machine itself that is tried.
const [shared = '', prefix] = process.argv.slice(2);

await expectAll(windowsMachine(prefix === undefined ? undefined : { shared, prefix }), (line) =>
  console.log(`say: ${line}`),
);

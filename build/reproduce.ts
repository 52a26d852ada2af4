import { parseArgs } from 'node:util';
import { FORMAT_NAMES, readFormats } from './images/images.ts';
import { PLATFORMS } from './platforms.ts';
import { builds, releases, reproduce } from './release/reproduce.ts';

// npm run reproduce: builds the present commit twice, for every platform; ends with status 1 where a byte differs. With
// -- --release the whole release, with all packages and images or those of --images FORMAT,...
try {
  const { values } = parseArgs({ options: { release: { type: 'boolean' }, images: { type: 'string' } } });
  const formats = values.images === undefined ? FORMAT_NAMES : readFormats(values.images);
  const differ = reproduce(values.release ? releases(formats) : builds(PLATFORMS), console.log);
  console.log(differ.length === 0 ? 'the same bytes in two folders' : `these differ: ${differ.join(', ')}`);
  process.exitCode = differ.length === 0 ? 0 : 1;
} catch (error) {
  console.error(`reproduce: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

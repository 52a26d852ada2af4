import { PLATFORMS } from './platforms.ts';
import { reproduce } from './release/reproduce.ts';

// npm run reproduce: builds the present commit twice, for every platform; ends with status 1 where a byte differs.
const differ = reproduce(PLATFORMS, console.log);
console.log(differ.length === 0 ? 'the same bytes in two folders' : `these differ: ${differ.join(', ')}`);
process.exitCode = differ.length === 0 ? 0 : 1;

import { attack, type Handshakes } from './handshakes.ts';

/** `node handshakes-process.ts HANDSHAKES`: goes on until standard input ends. Prints a line after the first second. */
process.stdin.once('end', () => process.exit(0));
process.stdin.resume();
const counts = attack(JSON.parse(process.argv[2] ?? '') as Handshakes);
setTimeout(() => process.stdout.write('goes on\n'), 1_000);
setInterval(() => process.stdout.write(`${JSON.stringify(counts)}\n`), 500);

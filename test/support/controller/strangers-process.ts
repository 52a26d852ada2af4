import { type Attack, Strangers } from './strangers.ts';

/** `node strangers-process.ts ATTACK`: holds it until standard input ends. Prints a line when it holds. */
const strangers = new Strangers();
process.stdin.once('end', () => {
  strangers.end();
  process.exit(0);
});
process.stdin.resume();
await strangers.begin(JSON.parse(process.argv[2] ?? '') as Attack);
process.stdout.write('holds\n');

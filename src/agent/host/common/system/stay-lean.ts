/**
 * Keeps V8 from compiling hot code to machine code: its optimising compilers take 7 MB of memory in a process
 * that wakes up only a few times a second (figures in docs/reporting.md).
 */
export function stayLean(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug']) setFlagsFromString(flag);
}

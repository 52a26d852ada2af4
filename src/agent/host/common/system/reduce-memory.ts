/**
 * Keeps V8 from compiling hot code to machine code, and from room for more young objects: its optimising compilers take 7 MB
 * of memory in a process that wakes up only a few times a second (figures in docs/reporting.md) or is soon over.
 */
export function reduceMemory(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug', '--semi-space-growth-factor=1'])
    setFlagsFromString(flag);
}

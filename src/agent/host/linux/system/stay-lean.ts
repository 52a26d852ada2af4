/**
 * Keeps V8 from compiling what runs often into machine code: its optimising compilers alone take 7 MB of a process that
 * wakes up a few times a second and needs none of them (docs/reporting.md has the figures).
 */
export function stayLean(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug']) setFlagsFromString(flag);
}

import { runProgram } from '../../common/process/run-program.ts';
import type { CommandResult, CommandSpec } from '../../processes.ts';
import { childEnvironment, inRoot } from './child-environment.ts';
import { terminateGroup } from './terminate-group.ts';

/** Runs a program to its end in its own process group; see `Processes.run`. */
export function runCommand(root: string, spec: CommandSpec): Promise<CommandResult> {
  const argv = inRoot(root, spec.argv);
  return runProgram({ argv, env: childEnvironment(spec.env), isLeader: true, end: terminateGroup }, spec);
}

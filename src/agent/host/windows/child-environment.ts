import { LOADER_VARIABLES } from '../../../kit/environment.ts';

/** The agent's environment with `changes`; undefined removes a variable. Windows does not tell the case of names apart. */
export function childEnvironment(changes: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  const changed = new Map(
    Object.entries(changes).map(([name, value]) => [name.toUpperCase(), { name, value }]),
  );
  // What loads code into a program is not handed on.
  for (const name of LOADER_VARIABLES) if (!changed.has(name)) changed.set(name, { name, value: undefined });
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!changed.has(name.toUpperCase())) env[name] = value;
  }
  for (const { name, value } of changed.values()) if (value !== undefined) env[name] = value;
  return env;
}

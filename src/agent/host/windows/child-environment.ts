/** The agent's environment with `changes`; undefined removes a variable. Windows does not tell the case of names apart. */
export function childEnvironment(changes: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  const changed = new Map(
    Object.entries(changes).map(([name, value]) => [name.toUpperCase(), { name, value }]),
  );
  // The agent's settings of Node.js are not meant for the child.
  changed.set('NODE_OPTIONS', { name: 'NODE_OPTIONS', value: undefined });
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!changed.has(name.toUpperCase())) env[name] = value;
  }
  for (const { name, value } of changed.values()) if (value !== undefined) env[name] = value;
  return env;
}

/** What a person or a program wrote: any key may have any value. */
type Fields = Readonly<Record<string, unknown>>;

/** One context of a kubeconfig, with what it joins; https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
interface KubeconfigContext {
  /** Its name, which may be that of no context. */
  readonly name: string;
  /** Undefined where it can be used for nothing. */
  readonly server: string | undefined;
  readonly context: Fields;
  readonly cluster: Fields;
  readonly user: Fields;
}

/**
 * @param config what the file says, of whatever shape
 * @param name of a context; default: the current one
 */
export function kubeconfigContext(config: unknown, name?: string): KubeconfigContext {
  const whole = fields(config);
  const wanted = name ?? whole['current-context'];
  const context = named(whole.contexts, wanted, 'context');
  const cluster = named(whole.clusters, context.cluster, 'cluster');
  const user = named(whole.users, context.user, 'user');
  return { name: String(wanted ?? ''), server: textAt(cluster, 'server'), context, cluster, user };
}

/** The text under `key`; undefined where there is nothing, or something else. */
export function textAt(from: Fields, key: string): string | undefined {
  const value = from[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A certificate or key: `NAME-data` holds it in base64, or `NAME` is the path of a file with it. */
export function pemAt<T>(from: Fields, name: string, read: (path: string) => T): string | T | undefined {
  const data = textAt(from, `${name}-data`);
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  const path = textAt(from, name);
  return path === undefined ? undefined : read(path);
}

/** What the entry of that name holds under `key`. */
function named(list: unknown, name: unknown, key: string): Fields {
  if (!Array.isArray(list) || name === undefined) return {};
  return fields(fields(list.find((entry: unknown) => fields(entry).name === name))[key]);
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

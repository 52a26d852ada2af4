/**
 * Variables by which whoever sets the environment would turn Node.js: what it loads, whom it trusts, where it writes. The
 * binaries take no notice of NODE_OPTIONS and OPENSSL_CONF (build/binary/pack.ts), nor then of what only these lead to
 * (SSL_CERT_FILE, OPENSSL_MODULES). These act before the first line of a program, or whenever it makes a connection.
 */
const STEERING =
  /^NODE_(?:TLS_REJECT_UNAUTHORIZED|EXTRA_CA_CERTS|USE_SYSTEM_CA|USE_ENV_PROXY|DEBUG|DEBUG_NATIVE|V8_COVERAGE|COMPILE_CACHE|REDIRECT_WARNINGS|PENDING_DEPRECATION|ICU_DATA)$/;

/**
 * Variables by which a program loads code or writes its keys down before its own first line. Whoever sets them for root has
 * root's rights already; no program that the agent starts for itself or for user data takes them over all the same.
 */
export const LOADER_VARIABLES = [
  ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'GCONV_PATH', 'GLIBC_TUNABLES', 'BASH_ENV', 'ENV'],
  ...['NODE_OPTIONS', 'OPENSSL_CONF', 'OPENSSL_MODULES', 'OPENSSL_ENGINES', 'SSLKEYLOGFILE'],
] as const;

/** The environment without what steers Node.js; undefined where nothing does. */
export function withoutNodeVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> | undefined {
  const entries = Object.entries(environment);
  const own = entries.filter(([name]) => !STEERING.test(name));
  if (own.length === entries.length) return undefined;
  return Object.fromEntries(own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

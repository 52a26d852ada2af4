declare const SLIPWAY_VERSION: string | undefined;
declare const SLIPWAY_COMMIT: string | undefined;

/** What this program is; the build puts version and commit in. */
export function version(): { version: string; commit: string; node: string; platform: string } {
  return {
    version: typeof SLIPWAY_VERSION === 'string' ? SLIPWAY_VERSION : '0.0.0-dev',
    commit: typeof SLIPWAY_COMMIT === 'string' ? SLIPWAY_COMMIT : 'unknown',
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
  };
}

export function versionText(json: boolean): string {
  const about = version();
  if (json) return JSON.stringify(about, undefined, 2);
  return `slipway ${about.version} (commit ${about.commit}, Node.js ${about.node}, ${about.platform})`;
}

/**
 * What `slipway version` and `slipway --version` print; undefined for every other command, and wherever the command line
 * library may have something to say (help, a mistake). Scripts and health checks ask at every turn, so it loads nothing,
 * not even that library.
 */
export function versionOutput(argv: readonly string[]): string | undefined {
  if (argv[0] !== 'version' && argv[0] !== '--version') return undefined;
  const format = /^(?:--output[ =](text|json))?$/.exec(argv.slice(1).join(' '));
  return format === null ? undefined : `${versionText(format[1] === 'json')}\n`;
}

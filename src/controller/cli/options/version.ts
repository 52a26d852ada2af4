declare const SLIPWAY_VERSION: string | undefined;
declare const SLIPWAY_COMMIT: string | undefined;

/** This program's version; the build inserts version and commit. */
export function versionText(): string {
  const version = typeof SLIPWAY_VERSION === 'string' ? SLIPWAY_VERSION : '0.0.0-dev';
  const commit = typeof SLIPWAY_COMMIT === 'string' ? SLIPWAY_COMMIT : 'unknown';
  return `slipway-controller ${version} (commit ${commit}, Node.js ${process.version}, ${process.platform}-${process.arch})`;
}

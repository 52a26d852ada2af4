import type { InsertedFile } from './insert/inserted-file.ts';

/** Read after the image's and the user's own settings; see docs/reporting.md. */
const SETTINGS_PATH = '/etc/slipway/config.d/80-managed.yaml';
const TOKEN_PATH = '/etc/slipway/managed-token';

interface ReportTarget {
  /** Addresses of the controller, such as `https://slipway.example:9443`. */
  readonly endpoints: readonly string[];
  /** Authorities in PEM that the machine trusts the controller by. */
  readonly authorities: string;
  /** The Machine's token; undefined where it enrols by its TPM. */
  readonly token: string | undefined;
}

/** What a machine needs in order to report: the controller's address and authority, and a token of its own. */
export function reportFiles({ endpoints, authorities, token }: ReportTarget): InsertedFile[] {
  const controller = {
    endpoints,
    ca: authorities,
    ...(token === undefined ? { tpm: true } : { tokenFile: TOKEN_PATH }),
  };
  // JSON is YAML.
  const settings = `${JSON.stringify({ report: { controller } }, undefined, 2)}\n`;
  return [
    { path: SETTINGS_PATH, mode: 0o644, content: settings },
    ...(token === undefined ? [] : [{ path: TOKEN_PATH, mode: 0o600, content: `${token}\n` }]),
  ];
}

import type { ChunkedUserData } from '../../document/document.ts';
import type { Part } from '../decode/part.ts';
import { includeLines } from '../includes/include-lines.ts';

const MOST_CHUNKS = 1024;
/** A number, a region, a name of a secret or an address: nothing that a shell would take for more than a word. */
const VALUE = String.raw`[\w+=.@:/-]*`;

/**
 * The default user data of Cluster API's AWS provider: a boothook that gets the real ones in pieces out of AWS Secrets Manager
 * or the Parameter Store with `aws`, deletes them there, and restarts cloud-init; then an include of the file that it has
 * written (pkg/internal/mime and pkg/cloud/services/secretsmanager and ssm in cluster-api-provider-aws).
 *
 * @returns what the boothook would get; undefined for all other user data
 */
export function findChunks(parts: readonly Part[]): ChunkedUserData | undefined {
  const [hook, include, ...others] = parts;
  if (hook?.type !== 'text/cloud-boothook' || include?.type !== 'text/x-include-url') return undefined;
  const { text } = hook.source;
  const [file, region, prefix, count] = ['FILE', 'REGION', 'SECRET_PREFIX', 'CHUNKS'].map((name) =>
    assigned(text, name),
  );
  const service = serviceOf(text);
  const [line, ...more] = includeLines(include.source);
  const isAll = others.length === 0 && more.length === 0 && line?.address === `file://${file}`;
  const chunks = /^[1-9]\d{0,3}$/.test(count ?? '') ? Number(count) : 0;
  if (!isAll || !file || !region || !prefix || !service || chunks < 1 || chunks > MOST_CHUNKS)
    return undefined;
  const endpoint = new RegExp(String.raw`^if \[ "(https?://${VALUE})" != "" \]`, 'm').exec(text)?.[1];
  return {
    references: Array.from({ length: chunks }, (_, index) => reference(service, region, prefix, index)),
    file,
    // A parameter is a text: what was split is base64.
    isBase64: service === 'aws-ssm',
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

/** The value of a variable that is set once, to a word. */
function assigned(script: string, name: string): string | undefined {
  const all = [...script.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))];
  const [, value = ''] = all[0] ?? [];
  return all.length === 1 ? new RegExp(`^"(${VALUE})"$`).exec(value)?.[1] : undefined;
}

type Service = 'aws-secretsmanager' | 'aws-ssm';

function serviceOf(script: string): Service | undefined {
  const gets = (what: string) => new RegExp(String.raw`^\s*aws ${what} `, 'm').test(script);
  const found = [
    ...(gets(String.raw`secretsmanager [^\n]{0,200}\bget-secret-value`)
      ? ['aws-secretsmanager' as const]
      : []),
    ...(gets(String.raw`ssm [^\n]{0,200}\bget-parameter`) ? ['aws-ssm' as const] : []),
  ];
  return found.length === 1 ? found[0] : undefined;
}

function reference(service: Service, region: string, prefix: string, index: number): string {
  const name = service === 'aws-ssm' ? `${prefix}/${index}` : `${prefix}-${index}`;
  const path = name.replace(/^\//, '').split('/').map(encodeURIComponent).join('/');
  return `${service}://${region}/${path}?delete=true`;
}

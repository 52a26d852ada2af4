import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Comes with credentials that expire. */
  sessionToken?: string;
}

interface ToSign {
  method: string;
  url: URL;
  /** Their names are in lower case; `host`, `x-amz-date` and `x-amz-security-token` are added. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  region: string;
  service: string;
  credentials: AwsCredentials;
  now: Date;
}

/** The headers that a request to AWS needs, by signature version 4. */
export function signedHeaders(request: ToSign): Record<string, string> {
  const { method, url, body, region, service, credentials, now } = request;
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const headers: Record<string, string> = {
    ...request.headers,
    host: url.host,
    'x-amz-date': time,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const query = [...url.searchParams]
    .map(([key, value]) => `${encodeRfc3986(key)}=${encodeRfc3986(value)}`)
    .sort();
  const canonical = [
    method,
    url.pathname,
    query.join('&'),
    ...names.map((name) => `${name}:${headers[name]?.trim().replace(/\s+/g, ' ')}`),
    '',
    names.join(';'),
    sha256(body),
  ].join('\n');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${credentials.secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  const credential = `Credential=${credentials.accessKeyId}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** RFC 3986: encodeURIComponent leaves more than that as it is. */
export function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

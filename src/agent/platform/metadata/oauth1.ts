/** The keys of OAuth 1.0a (RFC 5849). */
export interface OAuthKeys {
  consumerKey: string;
  consumerSecret: string;
  tokenKey: string;
  tokenSecret: string;
}

/**
 * The header that signs a request with the method PLAINTEXT, as MAAS wants it.
 *
 * @param seconds since 1970, by the server's clock
 * @param nonce differs with each request
 */
export function oauthHeader(keys: OAuthKeys, seconds: number, nonce: string): string {
  const signature = `${percent(keys.consumerSecret)}&${percent(keys.tokenSecret)}`;
  const parameters: readonly (readonly [string, string])[] = [
    ['oauth_nonce', nonce],
    ['oauth_timestamp', String(Math.floor(seconds))],
    ['oauth_version', '1.0'],
    ['oauth_signature_method', 'PLAINTEXT'],
    ['oauth_consumer_key', keys.consumerKey],
    ['oauth_token', keys.tokenKey],
    ['oauth_signature', signature],
  ];
  return `OAuth ${parameters.map(([name, value]) => `${name}="${percent(value)}"`).join(', ')}`;
}

/** RFC 3986's unreserved characters stay; encodeURIComponent leaves five more. */
function percent(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

import { type Ask, basesOf, type MetadataClient } from './metadata-client.ts';
import { SourceError } from './source-error.ts';

/** Where EC2's metadata service answers. */
export const EC2_BASES = basesOf('http://169.254.169.254', 'http://[fd00:ec2::254]');
const TOKEN = 'x-aws-ec2-metadata-token';
const TOKEN_SECONDS = '21600';

/** The bytes behind a path, one per character; undefined for status 404. */
export type ReadEc2Path = (path: string) => Promise<string | undefined>;

/**
 * AWS gives metadata only to whoever first asked for a token with PUT, which no proxy and no web page does. Where the machine's
 * owner has switched the service off, it answers 403.
 */
export async function withEc2Token(client: MetadataClient): Promise<ReadEc2Path> {
  const ask: Ask = { method: 'PUT', headers: { [`${TOKEN}-ttl-seconds`]: TOKEN_SECONDS }, accept: [403] };
  const renew = async (): Promise<string> => {
    const answer = await client.answer('/latest/api/token', ask);
    if (answer?.status === 403)
      throw new SourceError(
        'refused',
        'The EC2 metadata service is disabled for this instance (status 403).',
      );
    if (answer === undefined || answer.body === '')
      throw new SourceError(
        'refused',
        `The server at ${client.base} returned no token, so it is not the EC2 metadata service.`,
      );
    return answer.body;
  };
  let token = await renew();
  return async (path) => {
    const get = () => client.answer(path, { headers: { [TOKEN]: token }, accept: [401] });
    const first = await get();
    if (first?.status !== 401) return first?.body;
    token = await renew();
    const second = await get();
    if (second?.status === 401)
      throw new SourceError(
        'refused',
        'The EC2 metadata service rejected the token that it issued (status 401).',
      );
    return second?.body;
  };
}

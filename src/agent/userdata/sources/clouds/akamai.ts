import { asRecord, at, textOf, textsOf } from '../../../../kit/json.ts';
import { basesOf } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { metadataClientFor } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';

const IPV4 = 'http://169.254.169.254';
const IPV6 = 'http://[fd00:a9fe:a9fe::1]';
const TOKEN_SECONDS = '300';

/** Akamai, which was Linode (`DataSourceAkamai`): a token by PUT, user data in base64. */
export function readAkamai(context: SourceContext): Promise<SourceAnswer> {
  const bases = basesOf(...allowed(context.machine.dmi('board_serial')));
  return metadataClientFor(
    context,
    'Akamai',
    { bases, called: "Akamai's metadata service" },
    async (client) => {
      const token = await client.text('/v1/token', {
        method: 'PUT',
        headers: { 'Metadata-Token-Expiry-Seconds': TOKEN_SECONDS },
      });
      if (!token) throw new SourceError('refused', `The server at ${client.base} did not return a token.`);
      const headers = { 'Metadata-Token': token.trim(), Accept: 'application/json' };
      const json = async (path: string) => asRecord(await client.json(path, { headers })) ?? {};
      const document = await json('/v1/instance');
      const id = textOf(document.id) ?? context.machine.dmi('product_serial');
      const userData = await client.text('/v1/user-data', { headers: { 'Metadata-Token': token.trim() } });
      const keys = await json('/v1/ssh-keys');
      const network = await json('/v1/network');
      const region = textOf(document.region);
      return found({
        source: `akamai (${client.base})`,
        userData: Buffer.from(userData ?? '', 'base64'),
        metaData: { ...document, 'instance-id': id },
        cloud: {
          ...{
            name: 'akamai',
            platform: 'akamai',
            subplatform: `metadata (${client.base})`,
            providerId: `linode://${id}`,
          },
          ...(region === undefined ? {} : { region, zone: region }),
          addresses: textsOf([at(network, 'ipv4', 'private', 0), at(network, 'ipv4', 'public', 0)]).map(
            (address) => address.split('/')[0] ?? address,
          ),
          publicKeys: textsOf(at(keys, 'users', 'root')),
        },
      });
    },
  );
}

/** Akamai switches address families off by flags in the board's serial number, such as `v4=0;v6=1`. */
function allowed(flags: string): string[] {
  const isOff = (family: string) => new RegExp(`(?:^|;)${family}=0(?:;|$)`).test(flags);
  return [...(isOff('v4') ? [] : [IPV4]), ...(isOff('v6') ? [] : [IPV6])];
}

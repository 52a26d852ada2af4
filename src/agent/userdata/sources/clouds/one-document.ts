import { asRecord, type JsonRecord, textOf } from '../../../../kit/json.ts';
import type { Cloud } from '../../../platform/instance/instance.ts';
import { basesOf, type MetadataOptions } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { metadataClientFor } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';

/** A cloud that says everything in one JSON document, user data included. */
interface OneDocument {
  /** cloud-init's name in the configuration. */
  datasource: string;
  /** Slipway's name, and cloud-init's of cloud and platform. */
  name: string;
  /** For people. */
  called: string;
  path: string;
  headers?: MetadataOptions['headers'];
  metaData(document: JsonRecord): JsonRecord;
  cloud(document: JsonRecord): Pick<Cloud, 'addresses' | 'publicKeys'> & Partial<Cloud>;
  userData(document: JsonRecord): unknown;
  vendorData(document: JsonRecord): unknown;
}

const BASES = basesOf('http://169.254.169.254');

/** Asks such a cloud, at the address that all of them share. */
export function readOneDocument(context: SourceContext, shape: OneDocument): Promise<SourceAnswer> {
  const { called, headers } = shape;
  const options = { bases: BASES, called, ...(headers === undefined ? {} : { headers }) };
  return metadataClientFor(context, shape.datasource, options, async (client) => {
    const document = asRecord(await client.json(shape.path));
    const metaData = document && shape.metaData(document);
    if (document === undefined || textOf(metaData?.['instance-id']) === undefined || metaData === undefined)
      throw new SourceError('not-yet', `${called} at ${client.base} has no instance ID yet.`);
    const vendorData = textOf(shape.vendorData(document));
    const { name } = shape;
    return found({
      source: `${name} (${client.base})`,
      userData: Buffer.from(textOf(shape.userData(document)) ?? ''),
      metaData,
      ...(vendorData === undefined ? {} : { vendorData: Buffer.from(vendorData) }),
      cloud: { name, platform: name, subplatform: `metadata (${client.base})`, ...shape.cloud(document) },
    });
  });
}

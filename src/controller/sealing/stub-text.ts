import type { SealedStub } from '../../protocol/sealed-stub.ts';

/** The forms that a stub may have; each is found where user data of that format is. */
export const STUB_FORMATS = ['cloud-config', 'mime', 'ignition', 'document'] as const;
type StubFormat = (typeof STUB_FORMATS)[number];

/** Where an Ignition that acts upon the stub puts it; it is read from the config itself. */
const IGNITION_PATH = '/etc/slipway/sealed.yaml';
const BOUNDARY = '==slipway-sealed==';

/** User data that hold nothing secret: where the real ones are, and how they open. */
export function stubText(stub: SealedStub, format: StubFormat): string {
  switch (format) {
    case 'cloud-config':
      return cloudConfig(stub);
    case 'mime':
      return [
        'MIME-Version: 1.0',
        `Content-Type: multipart/mixed; boundary="${BOUNDARY}"`,
        `\n--${BOUNDARY}`,
        'Content-Type: text/cloud-config',
        `\n${cloudConfig(stub)}--${BOUNDARY}--\n`,
      ].join('\n');
    case 'ignition':
      return ignition(stub);
    case 'document':
      return document(stub);
  }
}

function cloudConfig(stub: SealedStub): string {
  return `#cloud-config\nslipway:\n  sealed:\n${yaml(stub, '    ')}`;
}

function document(stub: SealedStub): string {
  return `apiVersion: slipway.dev/v1alpha1\nkind: SealedUserData\nsealed:\n${yaml(stub, '  ')}`;
}

/** A file that Ignition itself may write: nothing in it is secret. */
function ignition(stub: SealedStub): string {
  const source = `data:;base64,${Buffer.from(document(stub)).toString('base64')}`;
  const files = [{ path: IGNITION_PATH, mode: 0o644, contents: { source } }];
  return `${JSON.stringify({ ignition: { version: '3.0.0' }, storage: { files } })}\n`;
}

/** JSON's scalars and lists are YAML's; of mappings each field gets a line. */
function yaml(value: object, indent: string): string {
  return Object.entries(value)
    .map(([key, inner]) =>
      typeof inner === 'object' && !Array.isArray(inner)
        ? `${indent}${key}:\n${yaml(inner, `${indent}  `)}`
        : `${indent}${key}: ${JSON.stringify(inner)}\n`,
    )
    .join('');
}

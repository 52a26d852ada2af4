import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { execaSync } from 'execa';
import { baseNode } from '../binary/base/base-node.ts';
import { differencesFromUpstream } from '../binary/base/same-node.ts';
import { stripped } from '../binary/base/strip.ts';
import { lockedPackage } from '../binary/npm-package.ts';
import { differencesFromUpstreamExe } from '../binary/windows/same-exe.ts';
import { unsigned } from '../binary/windows/unsign.ts';
import { type AgentPlatform, NODE_SHA256, nodePackage, WINDOWS } from '../platforms.ts';
import { nodeBinary } from '../project.ts';

/** The part of CycloneDX 1.5 that is read and written here. */
export interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

/**
 * Node.js as it is in a program, and each library that it says it is built of. Its pedigree names upstream's executable by its
 * sum, and says what was done to it: that is held against the program first.
 *
 * @param path the program's
 * @throws Error where the program holds another Node.js
 */
export function nodeComponents(platform: AgentPlatform, path: string): Component[] {
  const { version, integrity } = lockedPackage(nodePackage(platform));
  const upstream = readFileSync(baseNode(platform).path);
  const windows = platform === WINDOWS;
  const differences = (windows ? differencesFromUpstreamExe : differencesFromUpstream)(
    upstream,
    readFileSync(path),
  );
  if (differences.length > 0)
    throw new Error(`${path} does not hold the Node.js of its package: ${differences.join('; ')}`);
  const versions = JSON.parse(
    execaSync(nodeBinary(), ['-p', 'JSON.stringify(process.versions)']).stdout,
  ) as Record<string, string>;
  const { node: _, modules, napi, ...libraries } = versions;
  const named = {
    type: 'application',
    name: 'node',
    version,
    purl: `pkg:npm/${nodePackage(platform)}@${version}`,
  };
  return [
    {
      ...named,
      'bom-ref': `node@${version}`,
      description: `Node.js without its ${windows ? 'signature' : 'symbols'}`,
      cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
      hashes: sha256(windows ? unsigned(upstream) : stripped(upstream)),
      pedigree: {
        ancestors: [
          {
            ...named,
            description: `${windows ? 'bin/node.exe' : 'bin/node'} of the npm package, as upstream released it`,
            hashes: [{ alg: 'SHA-256', content: NODE_SHA256[platform] }],
          },
        ],
        notes: windows ? WINDOWS_NOTES : NOTES,
      },
      properties: [
        { name: 'slipway:npm-integrity', value: integrity },
        { name: 'slipway:node-abi', value: `modules ${modules}, Node-API ${napi}` },
      ],
    },
    ...Object.entries(libraries)
      .filter(([, own]) => own !== '')
      .map(([name, own]) => ({
        type: 'library',
        'bom-ref': `node/${name}@${own}`,
        name,
        version: own,
        description: 'part of Node.js',
      })),
  ];
}

const INJECTED = `put into it as a single executable application by postject ${lockedPackage('postject').version}`;
const NOTES =
  'Stripped: symbol table and debug sections, which are not loaded, were removed; the hash is of the result. Then the program was ' +
  `${INJECTED}: one note section with the blob, one byte of the fuse that says so, file headers and the tables for the dynamic linker ` +
  'in another order with the same entries. Every other section that is loaded has the bytes of the ancestor.';
const WINDOWS_NOTES =
  'The Authenticode signature and the checksum over it were removed; the hash is of the result. Then the program was ' +
  `${INJECTED}: a resource with the blob, one byte of the fuse that says so, file headers. Every other section has the bytes of the ancestor.`;

function sha256(content: Buffer): { alg: string; content: string }[] {
  return [{ alg: 'SHA-256', content: createHash('sha256').update(content).digest('hex') }];
}

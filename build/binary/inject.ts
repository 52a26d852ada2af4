import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// It has no types, and its loader for ES modules differs from version to version.
const { inject } = createRequire(import.meta.url)('postject') as {
  inject: (file: string, name: string, blob: Buffer, options: { sentinelFuse: string }) => Promise<void>;
};

/** Arguments: the copy of Node.js that gets the blob, and the blob. Name and fuse are those that Node.js looks for. */
const [file = '', blob = ''] = process.argv.slice(2);
await inject(file, 'NODE_SEA_BLOB', readFileSync(blob), {
  sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
});

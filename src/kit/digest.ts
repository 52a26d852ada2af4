import { createHash } from 'node:crypto';

/** SHA-256 in hex of `value` as JSON with sorted keys and hashed bytes. Equal values have equal digests. */
export function digest(value: unknown): string {
  return sha256(Buffer.from(canonical(value)));
}

/** Compares bytes with `FUNCTION-SUM`, such as `sha512-...` in hex. */
export function hasHash(bytes: Uint8Array, hash: string): boolean {
  const [name = '', sum = ''] = hash.split('-', 2);
  return createHash(name).update(bytes).digest('hex') === sum.toLowerCase();
}

/** As `JSON.stringify` has it, but for the order of keys and bytes: in one walk, for a bootstrap's first one is not warmed up. */
function canonical(value: unknown): string {
  if (value instanceof Uint8Array) return `{"sha256":"${sha256(value)}"}`;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === undefined) return 'null';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  let text = '';
  for (const key of inOrder(Object.keys(value))) {
    const item = (value as Record<string, unknown>)[key];
    if (item !== undefined) text += `${text && ','}${JSON.stringify(key)}:${canonical(item)}`;
  }
  return `{${text}}`;
}

/** By UTF-16 units, and numbers before all others, as in the objects of which digests have always been made. */
function inOrder(keys: string[]): string[] {
  const sorted = keys.sort();
  return sorted.some((key) => /^\d/.test(key))
    ? Object.keys(Object.fromEntries(sorted.map((key) => [key, undefined])))
    : sorted;
}

/** From here on OpenSSL is faster, loading included. */
const LARGE = 64 * 1024;

/**
 * SHA-256 in hex (FIPS 180-4), of what is small by code of its own: a bootstrap of 12 files hashes them in less time than
 * node:crypto takes to load. For digests that tell whether something has changed: it does not run in constant time.
 */
function sha256(data: Uint8Array): string {
  return data.length < LARGE ? ownSha256(data) : createHash('sha256').update(data).digest('hex');
}

function ownSha256(data: Uint8Array): string {
  const hash = INITIAL.slice();
  const whole = data.length - (data.length % BLOCK);
  for (let offset = 0; offset < whole; offset += BLOCK) addBlock(data, offset, hash);
  const rest = data.length - whole;
  const end = Buffer.alloc(rest + 9 > BLOCK ? 2 * BLOCK : BLOCK);
  end.set(data.subarray(whole));
  end[rest] = 0x80;
  // In bits; `LARGE` is far below what 32 of them count.
  end.writeUInt32BE(data.length * 8, end.length - 4);
  for (let offset = 0; offset < end.length; offset += BLOCK) addBlock(end, offset, hash);
  const sum = Buffer.alloc(32);
  for (let i = 0; i < 8; i += 1) sum.writeInt32BE(hash[i] as number, 4 * i);
  return sum.toString('hex');
}

const BLOCK = 64;

/**
 * The first bits of the square and cube roots of the first primes, behind the point (FIPS 180-4, 4.2.2 and 5.3.3). Written
 * down, because to work them out takes as long as to hash three files of a bootstrap.
 */
const INITIAL = Int32Array.from([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);
const ROUNDS = Int32Array.from([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);

/** Of one block; each overwrites it. */
const words = new Int32Array(BLOCK);

/** Takes 64 bytes in. One call a block, for V8 compiles what is called often sooner than what loops long. */
function addBlock(data: Uint8Array, offset: number, hash: Int32Array): void {
  for (let i = 0; i < 16; i += 1) {
    const at = offset + i * 4;
    const high = ((data[at] as number) << 24) | ((data[at + 1] as number) << 16);
    words[i] = high | ((data[at + 2] as number) << 8) | (data[at + 3] as number);
  }
  for (let i = 16; i < 64; i += 1) {
    const x = words[i - 15] as number;
    const y = words[i - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[i] = (words[i - 16] as number) + s0 + (words[i - 7] as number) + s1;
  }
  let a = hash[0] as number;
  let b = hash[1] as number;
  let c = hash[2] as number;
  let d = hash[3] as number;
  let e = hash[4] as number;
  let f = hash[5] as number;
  let g = hash[6] as number;
  let h = hash[7] as number;
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (ROUNDS[i] as number) + (words[i] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  hash[0] = (hash[0] as number) + a;
  hash[1] = (hash[1] as number) + b;
  hash[2] = (hash[2] as number) + c;
  hash[3] = (hash[3] as number) + d;
  hash[4] = (hash[4] as number) + e;
  hash[5] = (hash[5] as number) + f;
  hash[6] = (hash[6] as number) + g;
  hash[7] = (hash[7] as number) + h;
}

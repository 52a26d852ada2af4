import { PKI } from './pki.ts';

/** What is compared in docs/decisions: the same small job, done by each candidate. */
export interface Contest {
  readonly about: string;
  /** A script by the candidate's name; `URL` stands for the server's, `USER_DATA` for a document's path. */
  readonly entries: Readonly<Record<string, string>>;
}

/** Accepts the good message and refuses the bad one, or ends with an exit status that spoils the figure. */
const JUDGE = `
const good = { version: 1, events: [{ seq: 1, time: '2026-11-21T06:00:00.000Z', type: 'step.started', message: 'kubeadm join' }] };
const bad = { version: 1, events: [{ seq: 1.5, time: '', type: 'step.started' }] };
const accepts = (value) => { try { return check(value); } catch { return false; } };
if (!accepts(good) || accepts(bad)) process.exit(1);`;

const READ_USER_DATA = `const text = require('node:fs').readFileSync('USER_DATA', 'utf8');`;

const TYPES = `['step.started', 'step.ended', 'finding']`;

/** The work that `ours` is held against is in files of their own, so that the compiler checks it. */
export const CONTESTS: Readonly<Record<string, Contest>> = {
  schema: {
    about: 'load, define the shape of a message with a list, accept one and refuse one',
    entries: {
      ours: `import { check } from 'ours/schema.ts';${JUDGE}`,
      valibot: `import * as v from 'valibot';
        const event = v.object({ seq: v.pipe(v.number(), v.integer(), v.minValue(1)), time: v.pipe(v.string(), v.minLength(1), v.maxLength(40)),
          type: v.picklist(${TYPES}), message: v.optional(v.pipe(v.string(), v.maxLength(1000))) });
        const schema = v.object({ version: v.literal(1), events: v.pipe(v.array(event), v.maxLength(1000)) });
        const check = (value) => v.safeParse(schema, value).success;${JUDGE}`,
      zod: `import * as z from 'zod';
        const event = z.object({ seq: z.number().int().min(1), time: z.string().min(1).max(40), type: z.enum(${TYPES}), message: z.string().max(1000).optional() });
        const schema = z.object({ version: z.literal(1), events: z.array(event).max(1000) });
        const check = (value) => schema.safeParse(value).success;${JUDGE}`,
      'zod/mini': `import * as z from 'zod/mini';
        const event = z.object({ seq: z.number().check(z.int(), z.minimum(1)), time: z.string().check(z.minLength(1), z.maxLength(40)), type: z.enum(${TYPES}), message: z.optional(z.string().check(z.maxLength(1000))) });
        const schema = z.object({ version: z.literal(1), events: z.array(event).check(z.maxLength(1000)) });
        const check = (value) => z.safeParse(schema, value).success;${JUDGE}`,
      typebox: `import Type from 'typebox'; import { Check } from 'typebox/value';
        const event = Type.Object({ seq: Type.Integer({ minimum: 1 }), time: Type.String({ minLength: 1, maxLength: 40 }),
          type: Type.Enum(${TYPES}), message: Type.Optional(Type.String({ maxLength: 1000 })) });
        const schema = Type.Object({ version: Type.Literal(1), events: Type.Array(event, { maxItems: 1000 }) });
        const check = (value) => Check(schema, value);${JUDGE}`,
      ajv: `import Ajv from 'ajv';
        const event = { type: 'object', required: ['seq', 'time', 'type'], properties: { seq: { type: 'integer', minimum: 1 },
          time: { type: 'string', minLength: 1, maxLength: 40 }, type: { enum: ${TYPES} }, message: { type: 'string', maxLength: 1000 } } };
        const schema = { type: 'object', required: ['version', 'events'], properties: { version: { const: 1 }, events: { type: 'array', maxItems: 1000, items: event } } };
        const check = new Ajv().compile(schema);${JUDGE}`,
    },
  },
  http: {
    about: 'load and GET one small answer over TLS from a server on this machine',
    entries: {
      'node:https': `import { get } from 'node:https';
        get('URL', { agent: false }, (answer) => { answer.resume(); answer.on('end', () => undefined); });`,
      fetch: `fetch('URL', { headers: { connection: 'close' } }).then((answer) => answer.text());`,
      undici: `import { request, Agent } from 'undici'; import { readFileSync } from 'node:fs';
        const ca = readFileSync(process.env.NODE_EXTRA_CA_CERTS);
        const dispatcher = new Agent({ connect: { ca } });
        request('URL', { dispatcher }).then(({ body }) => body.text()).then(() => dispatcher.close());`,
    },
  },
  process: {
    about: 'load and run /bin/true, output caught',
    entries: {
      ours: `import { run } from 'ours/process.ts'; run();`,
      execa: `import { execa } from 'execa'; execa('/bin/true').then(({ exitCode }) => process.exitCode = exitCode);`,
      'nano-spawn': `import spawn from 'nano-spawn'; spawn('/bin/true').then(() => process.exitCode = 0);`,
    },
  },
  system: {
    about: 'load and tell the size of memory and the boot id or operating system',
    entries: {
      '/proc': `import { readFileSync } from 'node:fs';
        const memory = /MemTotal: *([0-9]+)/.exec(readFileSync('/proc/meminfo', 'utf8'));
        if (!memory || !readFileSync('/etc/os-release', 'utf8')) process.exit(1);`,
      systeminformation: `import { mem, osInfo } from 'systeminformation';
        Promise.all([mem(), osInfo()]).then(([{ total }, { distro }]) => { if (!total || !distro) process.exit(1); });`,
    },
  },
  yaml: {
    about:
      "load and read a control plane's user data; the libraries make events or nodes, ours also their meaning",
    entries: {
      ours: `import { read } from 'ours/yaml.ts';${READ_USER_DATA} if (!read(text)) process.exit(1);`,
      'js-yaml': `import { parseEvents, getScalarValue, EVENT_ID } from 'js-yaml';${READ_USER_DATA}
        for (const event of parseEvents(text, {})) if (event.type === EVENT_ID.SCALAR) getScalarValue(text, event);`,
      yaml: `import { parseDocument } from 'yaml';${READ_USER_DATA}
        if (parseDocument(text, { version: '1.1', schema: 'failsafe' }).errors.length > 0) process.exit(1);`,
    },
  },
  pki: {
    about: 'load, make a P-256 key and a request for it, read the request, sign a certificate',
    entries: PKI,
  },
};

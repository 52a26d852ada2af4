/** What is compared in docs/decisions: the same small job, done by each candidate. */
export interface Contest {
  readonly about: string;
  /** A script by the candidate's name; `URL` stands for the server's. */
  readonly entries: Readonly<Record<string, string>>;
}

/** Accepts the good message and refuses the bad one, or ends with an exit status that spoils the figure. */
const JUDGE = `
const good = { version: 1, events: [{ seq: 1, time: '2026-11-21T06:00:00.000Z', type: 'step.started', message: 'kubeadm join' }] };
const bad = { version: 1, events: [{ seq: 1.5, time: '', type: 'step.started' }] };
const accepts = (value) => { try { return check(value); } catch { return false; } };
if (!accepts(good) || accepts(bad)) process.exit(1);`;

const TYPES = `['step.started', 'step.ended', 'finding']`;

export const CONTESTS: Readonly<Record<string, Contest>> = {
  schema: {
    about: 'load, define the shape of a message with a list, accept one and refuse one',
    entries: {
      ours: `import { integer, list, asObject, oneOf, text, optional, version } from 'ours/protocol/wire.ts';
        const check = (value) => {
          const body = asObject(value, 'body');
          version(body, 'version', 1);
          for (const item of list(body, 'events', 1000)) {
            const event = asObject(item, 'event');
            integer(event, 'seq', 1, Number.MAX_SAFE_INTEGER); text(event, 'time', 40); oneOf(event, 'type', ${TYPES});
            optional(event, 'message', (from, key) => text(from, key, 1000));
          }
          return true;
        };${JUDGE}`,
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
      ours: `import { runCommand } from 'ours/agent/host/linux/run-command.ts';
        runCommand('/', { argv: ['/bin/true'] }).then(({ exitStatus }) => process.exitCode = exitStatus);`,
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
};

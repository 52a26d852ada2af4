import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import type { Diagnostic, Document } from '../../../document/document.ts';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { readUserData } from '../../../userdata/read-user-data.ts';
import { impossibleUsers } from './impossible-users.ts';
import { unreadableRules } from './preview-users.ts';
import { refusedGroups } from './refused-names.ts';

type Answer = Partial<Awaited<ReturnType<Host['processes']['run']>>>;
type Answers = Record<string, (argv: string[], input: string) => Answer>;

/** A machine that has no other programs than these. */
function machine(answers: Answers): Host {
  const root = scratch();
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'etc/passwd'), 'app:x:100:101::/:/bin/sh\nubuntu:x:1000:1000::/:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'app:x:101:\noperator:x:37:\n');
  writeFileSync(join(root, 'etc/login.defs'), '# of useradd\nUSERGROUPS_ENAB yes\n');
  const { files, processes } = createLinuxHost({ root });
  const own: Pick<Host['processes'], 'which' | 'run'> = {
    which: async (name) => (name in answers ? `/bin/${name}` : undefined),
    run: async ({ argv: [name, ...rest], input = '' }) => {
      const answer = answers[name]?.(rest, String(input)) ?? { exitStatus: 127 };
      return { exitStatus: 0, stdout: '', stderr: '', timedOut: false, ms: 1, ...answer };
    },
  };
  return { files, processes: { ...processes, ...own } } as Host;
}

const THERE: Answers = { useradd: () => ({ timedOut: true }), groupadd: () => ({ timedOut: true }) };

const accounts = async (host: Host, document: Document) => [
  ...(await refusedGroups(host, document.groups)),
  ...(await impossibleUsers(host, document.users, document)),
];
const rules = (host: Host, { users }: Document) => unreadableRules(host, users);

async function told(
  find: (host: Host, document: Document) => Promise<Diagnostic[]>,
  text: string,
  answers: Answers = THERE,
): Promise<string[]> {
  const raw = Buffer.from(text.startsWith('{') ? text : `#cloud-config\n${text}\n`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  expect(document.report.filter(({ severity }) => severity === 'error')).toEqual([]);
  const found = await find(machine(answers), document);
  return found.map(({ severity, where, message }) => `${where?.line ?? '-'}: ${severity}: ${message}`);
}

const ignition = (passwd: unknown) => JSON.stringify({ ignition: { version: '3.3.0' }, passwd });

describe('users that useradd would refuse', () => {
  it.each([
    [
      'users: [{name: bob, uid: 1000}]',
      '2: warning: The user bob cannot be made: its uid 1000 is that of ubuntu',
    ],
    [
      'users:\n- {name: bob, uid: 7}\n- {name: eve, uid: 7}',
      '4: warning: The user eve cannot be made: its uid 7 is that of bob',
    ],
    [
      'users: [{name: operator}]',
      '2: warning: The user operator cannot be made: there is a group of its name, which useradd would make; name it as the primary group',
    ],
    [
      'groups: [ops]\nusers: [{name: ops, groups: [app]}]',
      expect.stringMatching(/^3: warning: .* there is a group of its name/),
    ],
    [
      'users: [{name: bob, primary_group: staff, create_groups: false}]',
      '2: warning: The user bob cannot be made: there is no group staff',
    ],
    [
      ignition({ users: [{ name: 'bob', uid: 1000 }] }),
      '1: error: The user bob cannot be made: its uid 1000 is that of ubuntu',
    ],
    [
      ignition({ users: [{ name: 'ubuntu', groups: ['docker'] }] }),
      '1: error: The user ubuntu cannot be made: there is no group docker',
    ],
  ])('are told before anything is changed: %s', async (text, message) => {
    expect(await told(accounts, text)).toEqual([message]);
  });

  it.each([
    'users: [{name: ubuntu, uid: 1000}, {name: app, uid: 1000}]',
    'users: [{name: bob, uid: 1000}]\nbootcmd: [userdel ubuntu]',
    'users: [{name: bob, uid: 1000}]\nwrite_files: [{path: /etc/passwd, content: x}]',
    'users: [{name: operator, primary_group: operator}, {name: bob, groups: [new]}]',
    'groups: [bob]\nusers: [{name: bob, no_user_group: true}]',
    'users: [{name: bob, groups: [operator, "27"], create_groups: false}]',
    ignition({
      users: [{ name: 'bob', uid: 1000, groups: ['docker'] }],
      groups: [{ name: 'docker' }, { name: 'x', shouldExist: false }],
    }),
    ignition({ users: [{ name: 'bob', groups: ['docker'] }], groups: [{ name: 'docker' }] }),
  ])('are none that it makes, or that need it no more: %s', async (text) => {
    expect(await told(accounts, text)).toEqual([]);
  });

  it('are a warning where nothing is there to make one', async () => {
    expect(await told(accounts, 'users: [bob, ubuntu]', {})).toEqual([
      '2: warning: The program useradd is not on this machine, so the user bob is not made',
    ]);
  });

  it('are none where only the network knows the group', async () => {
    const text = 'users: [{name: bob, groups: [staff], create_groups: false}]';
    const getent = (argv: string[]) =>
      argv[1] === 'staff' ? { stdout: 'staff:x:50:\n' } : { exitStatus: 2 };
    expect(await told(accounts, text, { ...THERE, getent })).toEqual([]);
  });
});

describe('what the programs themselves are asked', () => {
  const long = 'a'.repeat(40);
  const refuse = (argv: string[]): Answer => ({
    exitStatus: argv[1]?.startsWith('/proc/') ? 3 : 0,
    stderr: `useradd: invalid user name '${argv.at(-1)}'\n`,
  });

  it.each([
    [`users: [{name: ${long}}]`, `The user ${long}`],
    ['users: [{name: ann, expiredate: soon}]', 'The user ann'],
    ['users: ["12"]', 'The user 12'],
  ])('they refuse: %s', async (text, who) => {
    expect(await told(accounts, text, { useradd: refuse })).toEqual([
      expect.stringMatching(
        new RegExp(`^2: warning: ${who} cannot be made: useradd of this machine would say`),
      ),
    ]);
  });

  it('is of groups too, which have no line of their own', async () => {
    expect(await told(accounts, `groups: [${long}]`, { groupadd: refuse })).toEqual([
      expect.stringMatching(/^-: warning: The group a{40} cannot be made: groupadd /),
    ]);
  });

  it.each([
    [
      'is nothing where they take it, and wait for files',
      `users: [${long}]`,
      { timedOut: true, exitStatus: 143 },
    ],
    ['is nothing where they know no such way to ask', `users: [${long}]`, { exitStatus: 2 }],
    ['is nothing of what is common', 'users: [{name: bob, expiredate: "2038-01-19"}]', { exitStatus: 3 }],
    ['is nothing of who is there', 'users: [ubuntu]', { exitStatus: 3 }],
  ])('%s', async (_what, text, answer) => {
    expect(await told(accounts, text, { useradd: () => answer })).toEqual([]);
  });

  it('changes nothing on a real machine', async () => {
    const { files, processes } = createLinuxHost({ root: '/' });
    const document = await readUserData(
      Buffer.from(`#cloud-config\nusers: [aaa, Aaa.b, ${'c'.repeat(63)}]\n`),
      {
        source: 'file',
        metaData: {},
      },
    );
    const before = await files.readIfPresent('/etc/passwd');
    await accounts({ files, processes } as Host, document);
    expect(await files.readIfPresent('/etc/passwd')).toEqual(before);
  });
});

describe('sudo rules', () => {
  /** As visudo says it since 1.9.4, and before. */
  const refusing =
    (say: (line: number) => string) =>
    (_argv: string[], input: string): Answer => {
      const line = input.split('\n').findIndex((text) => text.includes('all')) + 1;
      return line === 0 ? {} : { exitStatus: 1, stderr: say(line) };
    };
  const now = refusing((line) => `stdin:${line}:15: expected a fully-qualified path name\nann ALL=all\n`);
  const then = refusing(
    (line) => `>>> stdin: syntax error near line ${line} <<<\nparse error in stdin near line 1\n`,
  );
  const text = 'users:\n- {name: bob, sudo: "ALL=ALL"}\n- {name: ann, sudo: ["ALL=/bin/ls", "ALL=all"]}';

  it.each([
    [now, 'expected a fully-qualified path name'],
    [then, 'syntax error'],
  ])('that visudo refuses are told before anything is changed', async (visudo, why) => {
    expect(await told(rules, text, { visudo })).toEqual([
      `4: warning: The user ann cannot have its sudo rules: rule 2 cannot be read (visudo says "${why}")`,
    ]);
  });

  it.each([
    ['that it takes', () => ({})],
    ['where it fails for another reason', () => ({ exitStatus: 1, stderr: 'visudo: cannot run\n' })],
    ['where it does not answer', () => ({ exitStatus: 143, timedOut: true })],
  ])('are none %s', async (_what, visudo) => {
    expect(await told(rules, text, { visudo })).toEqual([]);
  });

  it('are left to a machine that has no visudo', async () => {
    expect(await told(rules, text)).toEqual([]);
  });
});

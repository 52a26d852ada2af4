import { expect, it } from 'vitest';
import { Diagnostics } from '../../../text/diagnostics.ts';
import { plainText } from '../../../text/source-text.ts';
import { parseYaml } from '../../../text/yaml/parse.ts';
import { plainValue } from '../../../text/yaml/plain-value.ts';
import { withDefaultUser } from './default-user.ts';

const parse = (text: string) => parseYaml(plainText(text), new Diagnostics());
const IMAGE = 'default_user: {name: debian, groups: [adm, sudo], shell: /bin/bash, gecos: Debian}';

function resolved(users: string, user = '', image = IMAGE) {
  const { users: node, defaultUser } = withDefaultUser(parse(users), parse(user), parse(image));
  return { users: node && plainValue(node), defaultUser };
}

// What is expected is what cloud-init's normalize_users_groups makes of the same.
it.each([
  [
    '[default, ann]',
    '',
    ['ann', { name: 'debian', groups: 'adm,sudo', shell: '/bin/bash', gecos: 'Debian' }],
  ],
  ['"default,ann"', '', ['ann', { name: 'debian' }]],
  ['{default: true, ann: {uid: 7}}', '', [{ name: 'ann', uid: 7n }, { name: 'debian' }]],
  ['[{name: default, shell: /bin/sh}]', '', [{ name: 'debian', shell: '/bin/sh', groups: 'adm,sudo' }]],
  [
    '[default, {name: debian, groups: users, uid: 9}]',
    '',
    [{ name: 'debian', uid: 9n, groups: 'adm,sudo,users' }],
  ],
  [
    '[default, [debian, ann], [default]]',
    '',
    ['ann', { name: 'debian', groups: 'adm,sudo', shell: '/bin/bash' }],
  ],
  ['[ann]', 'bob', ['ann', { name: 'bob', groups: 'adm,sudo', shell: '/bin/bash' }]],
  ['', '{name: bob, groups: [x]}', [{ name: 'bob', groups: 'x' }]],
])('%s with user: %s', (users, user, expected) => {
  const told = resolved(users, user);
  expect(told.users).toMatchObject(expected);
  expect(told.defaultUser).toBe(user === '' ? 'debian' : 'bob');
});

it('leaves users as they are where nobody asks for it, or nobody knows it', () => {
  expect(resolved('[ann]')).toEqual({ users: ['ann'], defaultUser: undefined });
  expect(resolved('[default]', '', '{}')).toEqual({ users: ['default'], defaultUser: undefined });
});

it.each(['[{name: default, lock-passwd: false}]', '{default: {lock-passwd: false}}'])(
  'takes a hyphen in a key of %s for the underscore of the image',
  (users) => {
    const told = resolved(users, '', 'default_user: {name: debian, lock_passwd: true}');
    expect(told.users).toEqual([{ name: 'debian', lock_passwd: false }]);
  },
);

it('drops the groups of `default`, as with an image whose user has groups', () => {
  const told = resolved('[{name: default, groups: docker}]', '', 'default_user: {name: debian}');
  expect(told.users).toEqual([{ name: 'debian' }]);
});

import type { Choices } from '../ignition/random.ts';

export const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ000000000000000000000000000000000000000000';
export const HASH =
  '$6$salt$Xh0kAoz3B4q1ZKb.0RXzW0KzZ6mFk0t3Kz9x1Jm0m1lq0w5v0J8P5n3aXlqkT9b7CvQ1mXy9pJ7wF5yq2H0aE1';
const NEVER_DEFAULT = ['eve', '_svc'];
const NAMES = ['ann', 'bob', 'x-1', ...NEVER_DEFAULT];

type Made = Record<string, unknown>;

export const maybe = (choices: Choices, percent: number, made: Made): Made =>
  choices.chance(percent) ? made : {};
export const key = (choices: Choices): string => `${KEY}${choices.below(10)} k${choices.below(10)}`;

/** `users` in each of its forms, with the default user by that word, by its own name, and without a name. */
export function users(choices: Choices): Made {
  const names = NAMES.filter(() => choices.chance(35));
  // cloud-init sorts what stands in a mapping or in one text.
  const sorted = names.toSorted();
  const whole = names.map((name) => user(choices, name));
  return choices.of<Made>([
    { users: whole },
    { users: ['default', ...whole] },
    { users: [...whole, 'default'] },
    { users: [{ name: 'default', ...fields(choices, 'default') }, ...whole] },
    { users: [...whole, fields(choices, 'nobody', { gecos: 'Without a name' })] },
    { users: ['default', { name: 'debian', ...fields(choices, 'debian') }, ...whole] },
    { users: ['default', ...names] },
    { users: ['default', names.join(',')].filter((item) => item !== '') },
    { users: ['default', names] },
    { users: `default,${sorted.join(',')}` },
    {
      users: {
        ...Object.fromEntries(sorted.map((name) => [name, fields(choices, name)])),
        default: choices.of<unknown>([true, 'yes', fields(choices, 'default')]),
      },
    },
    { users: Object.fromEntries(sorted.map((name) => [name, choices.chance(60)])) },
  ]);
}

/** The old way to say who the default user is, which alone asks for it too. */
export function ownDefaultUser(choices: Choices): Made {
  const name = choices.of(['debian', 'ann', 'core', 'x-1']);
  return {
    user: choices.of<unknown>([
      name,
      { name, ...fields(choices, 'own') },
      fields(choices, 'own', { shell: '/bin/sh' }),
    ]),
  };
}

/** Who the default user is on an image, over what Debian says of it. */
export function defaultUserOfImage(choices: Choices): Made {
  return {
    ...maybe(choices, 70, { name: choices.of(['core', 'ann', 'bob']) }),
    ...fields(choices, 'image'),
    ...maybe(choices, 50, { groups: choices.of<unknown>(['users', 'users, audio', ['audio', 'more'], []]) }),
  };
}

function user(choices: Choices, name: string): Made {
  return { name, ...fields(choices, name) };
}

function fields(choices: Choices, name: string, always: Made = {}): Made {
  // Where there is no home, Slipway refuses keys, and cloud-init leaves out all users behind; the default user's come from elsewhere.
  const isOther = NAMES.includes(name);
  const hasHome = !NEVER_DEFAULT.includes(name) || choices.chance(50);
  return {
    ...always,
    ...maybe(choices, 40, { gecos: choices.of(['Ann', 'Ann, room 1', 'Änn']) }),
    ...maybe(choices, 40, { shell: choices.of(['/bin/sh', '/bin/bash', '/usr/sbin/nologin']) }),
    ...maybe(choices, 25, { homedir: `/srv/${name}` }),
    ...maybe(choices, 20, { uid: isOther ? 4000 + NAMES.indexOf(name) : 4100 + name.length }),
    ...maybe(choices, 30, { groups: choices.of(['users', 'users, audio', ['users', 'audio'], ['three']]) }),
    ...maybe(choices, 20, { primary_group: 'users' }),
    ...(hasHome ? {} : choices.of([{ system: true }, { no_create_home: true }])),
    ...maybe(choices, 15, { no_user_group: true }),
    ...maybe(choices, 30, { lock_passwd: choices.chance(50) }),
    ...maybe(
      choices,
      35,
      choices.of([{ passwd: HASH }, { hashed_passwd: HASH }, { plain_text_passwd: "a b:c'd$" }]),
    ),
    ...maybe(choices, 30, {
      sudo: choices.of(['ALL=(ALL) NOPASSWD:ALL', ['ALL=(ALL) ALL', 'ALL=(bob) NOPASSWD: /bin/ls'], null]),
    }),
    ...(hasHome ? maybe(choices, 40, { ssh_authorized_keys: [key(choices)] }) : {}),
    ...maybe(choices, 10, { expiredate: '2038-01-19' }),
    ...maybe(choices, 10, { inactive: '5' }),
    ...(name === 'default' ? maybe(choices, 30, { 'lock-passwd': choices.chance(50) }) : {}),
  };
}

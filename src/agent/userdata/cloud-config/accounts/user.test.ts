import { expect, it } from 'vitest';
import { readDocument } from '../../fixtures/read-document.ts';

function read(settings: string) {
  const text = `#cloud-config\nusers:\n- name: ann\n  ${settings}\n`;
  const { users, report } = readDocument(Buffer.from(text), { metaData: {}, source: 'file' });
  const errors = report.filter(({ severity }) => severity === 'error');
  return { user: users[0], errors };
}

it.each([
  ['shell: bash', 10, /^users: shell must be an absolute path/],
  ['shell: false', undefined, undefined],
  ['shell: /usr/sbin/nologin', undefined, undefined],
  ['inactive: soon', 13, /^users: inactive must be a number of days/],
  ['inactive: "30"', undefined, undefined],
  ['inactive: -1', undefined, undefined],
  ['expiredate: 2038,1,19', 15, /^users: expiredate must be a valid date/],
  ['expiredate: 01.09.2032', 15, /^users: expiredate must be a valid date/],
  ['expiredate: 2032-09', 15, /^users: expiredate must be a valid date/],
  ['expiredate: never', 15, /^users: expiredate must be a valid date/],
  ['expiredate: "2032-13-01"', 15, /^users: expiredate must be a valid date/],
  ['expiredate: "2032-02-30"', 15, /^users: expiredate must be a valid date/],
  ['expiredate: "2032-02-29"', undefined, undefined],
  ['expiredate: 2032-09-01', undefined, undefined],
  ['expiredate: "2032-9-1"', undefined, undefined],
  ['expiredate: 09/01/2032', undefined, undefined],
  ['expiredate: 1 sep 2032', undefined, undefined],
  ['expiredate: 22889', undefined, undefined],
  ['expiredate: -1', undefined, undefined],
])('what no useradd takes is told at its place: %s', (settings, column, message) => {
  const { errors } = read(settings);
  expect(errors).toEqual(
    column === undefined
      ? []
      : [expect.objectContaining({ message: expect.stringMatching(message), where: { line: 4, column } })],
  );
});

it('gives useradd what is right as it stands', () => {
  for (const [key, value] of [
    ['shell', '/bin/zsh'],
    ['inactive', '7'],
    ['expiredate', '2032-09-01'],
  ] as const)
    expect(read(`${key}: "${value}"`).user).toHaveProperty(key, value);
});

it.each([
  ['password: hunter2', /^users: password is not known \(use plain_text_passwd/],
  ['ssh_authorized_key: x', /^users: ssh_authorized_key is not known \(was ssh_authorized_keys meant\?\)/],
  ['favourite: x', /^users: favourite is not known; it is ignored/],
])('says what an unknown key was probably meant to be: %s', (settings, message) => {
  const text = `#cloud-config\nusers: [{name: ann, ${settings}}]\n`;
  const { report } = readDocument(Buffer.from(text), { metaData: {}, source: 'file' });
  expect(report[0]).toMatchObject({ severity: 'warning', message: expect.stringMatching(message) });
});

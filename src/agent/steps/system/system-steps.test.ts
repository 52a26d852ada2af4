import { expect, it } from 'vitest';
import { redact } from '../../../secrets/redact.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import { plan } from '../plan.ts';

it('hides nothing of why passwords could not be set', async () => {
  const users = 'chpasswd: {users: [{name: ann, type: text, password: hunter2}]}';
  const text = `#cloud-config\n${users}\n`;
  const document = await readUserData(Buffer.from(text), { source: 'file', metaData: {} });
  const told = plan(document).map(({ title }) => `${title}: Cannot set the passwords of ann`);
  expect(told.map(redact)).toEqual(told);
});

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { capaUserData } from '../../userdata/handed/fixtures/capa.ts';
import { applyCommand } from './apply.ts';

async function applied(userData: string, partly: boolean) {
  const file = join(scratch(), 'user-data');
  writeFileSync(file, userData);
  const root = scratch();
  let told = '';
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text);
    return true;
  });
  try {
    const status = await applyCommand(file, { root, partly });
    return { status, told, made: readdirSync(root) };
  } finally {
    spy.mockRestore();
  }
}

it.each([false, true])(
  'refuses what only says where the user data are, as plan does (partly: %j)',
  async (partly) => {
    const { status, told, made } = await applied(capaUserData({ service: 'ssm' }), partly);
    expect({ status, made }).toEqual({ status: 2, made: [] });
    expect(told).toMatch(/error: The user data only say where .* \[UserDataSealed\]\n.*nothing was changed/);
  },
);

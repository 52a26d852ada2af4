import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { WindowsMachine } from './windows-machine.ts';

const SLIPWAY = 'S:\\slipway.exe';

/** Nothing is begun where the user data asks for what Windows lacks; a machine that has joined stays a node. */
export async function expectRefusal(machine: WindowsMachine): Promise<void> {
  const bootstrap = () => machine.run(SLIPWAY, 'bootstrap', '--user-data', 'S:\\refused');
  const left = await bootstrap();
  assert.equal(left.status, 0, left.stderr);
  assert.match(left.stderr, /disk_setup: .* left as it is \(UserDataInvalid\)\. \[NodeLeftAsItIs\]/);
  rmSync(machine.onC('ProgramData/slipway'), { recursive: true });
  const told = await bootstrap();
  assert.equal(told.status, 2, told.stderr);
  assert.match(
    told.stderr,
    /User data line 2, column \d+: disk_setup: Slipway does not do this on Windows.* \(and 1 more\)/,
  );
  assert.equal(existsSync(machine.onC('k/refused')), false);
}

/**
 * 1003 reboots and runs it again, and that run has nothing left but the second command.
 */
export async function expectReboot(machine: WindowsMachine): Promise<void> {
  const bootstrap = () => machine.run(SLIPWAY, 'bootstrap', '--cloudbase-init', '--user-data', 'S:\\reboot');
  const first = await bootstrap();
  assert.equal(first.status, 1003, first.stderr);
  assert.equal(readFileSync(machine.onC('k/written'), 'utf8'), 'by Slipway\n');
  const second = await bootstrap();
  assert.equal(second.status, 0, second.stderr);
  assert.equal(readFileSync(machine.onC('told'), 'utf8'), 'before\r\nafter\r\n');
  assert.equal(new Set(bootsIn(machine)).size, 2);
}

/**
 * User data of EC2: the script of cmd.exe comes first, and asks to be run again at the next boot. Wine's PowerShell does nothing.
 */
export async function expectScripts(machine: WindowsMachine): Promise<void> {
  const { isWine, onC } = machine;
  rmSync(onC('ProgramData/slipway'), { recursive: true });
  mkdirSync(onC('ProgramData/slipway/etc'), { recursive: true });
  writeFileSync(onC('ProgramData/slipway/etc/node.yaml'), 'kubeadm: none\n');
  const statuses: number[] = [];
  for (const _ of [1, 2]) {
    const { status } = await machine.run(
      ...([SLIPWAY, 'bootstrap', '--cloudbase-init', '--user-data', 'S:\\scripts'] as const),
    );
    statuses.push(status);
  }
  assert.deepEqual(statuses, [1002, 0]);
  assert.equal(readFileSync(onC('scripts'), 'utf8'), `cmd\r\ncmd\r\n${isWine ? '' : 'powershell\r\n'}`);
}

/** A command that always asks for another reboot gets ten boots. In one boot it is the same boot, however often it is called. */
export async function expectTenBoots(machine: WindowsMachine): Promise<void> {
  rmSync(machine.onC('ProgramData/slipway'), { recursive: true });
  const words = [SLIPWAY, 'bootstrap', '--cloudbase-init', '--user-data', 'S:\\restless'] as const;
  await machine.boot(async ({ commands }) => {
    for (const _ of [1, 2]) {
      const { status, stderr } = await commands(words.join(' '));
      assert.equal(status, 1003, stderr);
    }
  });
  for (let boot = 2; boot < 10; boot += 1) {
    const again = await machine.run(...words);
    assert.equal(again.status, 1003, again.stderr);
  }
  const last = await machine.run(...words);
  assert.equal(last.status, 1, last.stderr);
  assert.match(last.stderr, /10 boots have not brought this bootstrap/);
  assert.equal(readFileSync(machine.onC('restless'), 'utf8').split('\n').length - 1, 11);
  assert.equal(new Set(bootsIn(machine)).size, 10);
}

function bootsIn(machine: WindowsMachine): string[] {
  const journal = readFileSync(machine.onC('ProgramData/slipway/journal.jsonl'), 'utf8');
  return journal.split('\n').flatMap((line) => /"boot":"([^"]+)"/.exec(line)?.[1] ?? []);
}

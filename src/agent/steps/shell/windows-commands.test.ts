import { expect, test } from 'vitest';
import { Redactor } from '../../../secrets/redact.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { readDocument } from '../../userdata/fixtures/read-document.ts';
import { WindowsCommands } from './windows-commands.ts';

const POWERSHELL = 'WindowsPowerShell\\v1.0\\powershell.exe';
const OPTIONS = '-NoProfile -NonInteractive -ExecutionPolicy RemoteSigned -File';

/** What is started for each command of these user data, and what its file holds; `programs`: what is in PATH. */
async function started(userData: string, programs: readonly string[] = []) {
  const real = createLinuxHost({ root: '/nothing' });
  const calls: (readonly [argv: string, text: string])[] = [];
  let text = '';
  const host: Host = {
    ...real,
    platform: 'windows',
    env: () => undefined,
    files: {
      ...real.files,
      write: async (_path, content) => {
        text = String(content);
      },
      real: async (path) => path.slice(path.lastIndexOf('/') + 1),
      remove: async () => undefined,
    },
    processes: {
      ...real.processes,
      which: async (name) => (programs.includes(name) ? `C:\\tools\\${name}.exe` : undefined),
      run: async ({ argv }) => {
        calls.push([argv.join(' '), text]);
        return { exitStatus: 1002, stdout: '', stderr: '', timedOut: false, ms: 1 };
      },
    },
  };
  const { commands } = readDocument(Buffer.from(userData), { metaData: {}, source: 'file' });
  const items = commands.map((entry) => ({
    shell: entry.kind === 'command' ? entry.shell.reveal() : undefined,
  }));
  const options = { name: 'test', items, env: {}, redactor: () => new Redactor(), output: () => undefined };
  const session = new WindowsCommands(host, options);
  const ends: unknown[] = [];
  for (const index of items.keys())
    ends.push((await session.run(index, new AbortController().signal)).exitStatus);
  return { calls, ends };
}

const part = (name: string, text: string) =>
  `Content-Type: multipart/mixed; boundary=B\nMIME-Version: 1.0\n\n--B\nContent-Type: text/x-shellscript; name=${name}\n\n${text}\n--B--\n`;

test.each([
  [
    'rem cmd\necho a\n',
    'C:\\Windows\\System32\\cmd.exe /d /c command.cmd',
    /^@echo off\r\nrem cmd\r\necho a/,
  ],
  [
    '#ps1_sysnative\na\n',
    `C:\\Windows\\System32\\${POWERSHELL} ${OPTIONS} command.ps1`,
    /^\ufeff#ps1_sys.*\na/,
  ],
  ['#ps1_x86\na\n', `C:\\Windows\\SysWOW64\\${POWERSHELL} ${OPTIONS} command.ps1`, /^\ufeff#ps1_x86\na/],
  [
    '<powershell>\na\n</powershell>',
    `C:\\Windows\\System32\\${POWERSHELL} ${OPTIONS} command.ps1`,
    /^\ufeff#ps1\na\n$/,
  ],
  [
    part('a.ps1', 'Write-Host é'),
    `C:\\Windows\\System32\\${POWERSHELL} ${OPTIONS} command.ps1`,
    /^\ufeffWrite-Host é\n$/,
  ],
  [part('a.cmd', 'echo a'), 'C:\\Windows\\System32\\cmd.exe /d /c command.cmd', /^@echo off\r\necho a\r\n/],
  [part('a.py', 'print()'), 'C:\\tools\\python.exe command.py', /^print\(\)\n$/],
  ['#!/usr/bin/env python\nprint()\n', 'C:\\tools\\python.exe command.py', /^#!.*\nprint\(\)\n$/],
  ['#!/bin/sh\necho a\n', 'C:\\tools\\bash.exe command.sh', /^#!\/bin\/sh\necho a\n$/],
  [
    '#cloud-config\nruncmd:\n- echo a\n',
    'C:\\Windows\\System32\\cmd.exe /d /c command.cmd',
    /^@echo off\r\n/,
  ],
])('%j is run by what cloudbase-init runs it by', async (userData, argv, text) => {
  const { calls, ends } = await started(userData, ['python', 'bash']);
  expect(calls).toEqual([[argv, expect.stringMatching(text)]]);
  expect(ends).toEqual([1002]);
});

test('a script for which there is no program has failed, and is not given to cmd.exe', async () => {
  expect(await started('#!/bin/sh\necho a\n')).toEqual({ calls: [], ends: [127] });
});

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BootstrapCall, parseInvocation, withAbsoluteConfigPath } from './invocation.ts';

describe('parseInvocation', () => {
  it('takes over init and join', () => {
    expect(parseInvocation(['join', '10.0.0.1:6443', '--token', 'abcdef.0123456789abcdef'])).toEqual({
      kind: 'bootstrap',
      verb: 'join',
      args: ['10.0.0.1:6443', '--token', 'abcdef.0123456789abcdef'],
    });
    expect(parseInvocation(['init'])).toEqual({ kind: 'bootstrap', verb: 'init', args: [] });
    expect(parseInvocation(['init', '-v5', '--config=/a'])).toMatchObject({
      kind: 'bootstrap',
      configPath: '/a',
    });
  });

  it.each([
    [['join', '--node-name', 'phase']],
    [['join', '--token', '--help']],
    [['init', '--dry-run=false']],
    [['join', '-v', 'phase', '--', 'x']],
    [['init', '--skip-phases', 'preflight']],
    [['join', '--no-such-flag', 'phase']],
  ])('takes over %j', (argv) => {
    expect(parseInvocation(argv).kind).toBe('bootstrap');
  });

  it.each([
    [[]],
    [['version']],
    [['help', 'init']],
    [['--help']],
    [['-v', '5', 'join']],
    [['init', 'phase', 'certs', 'all']],
    [['join', '--control-plane', 'phase', 'preflight']],
    [['join', '-v', '5', 'phase']],
    [['join', '--config', '/a', '-h']],
    [['join', '-h']],
    [['init', '--help']],
    [['init', '--dry-run']],
    [['token', 'create', '--print-join-command']],
    [['reset', '-f']],
    [['config', 'images', 'list']],
    [['__complete', 'join', '']],
  ])('passes %j through', (argv) => {
    expect(parseInvocation(argv)).toEqual({ kind: 'pass-through' });
  });
});

describe('withAbsoluteConfigPath', () => {
  const called = (...argv: string[]) => {
    const { args, configPath } = withAbsoluteConfigPath(parseInvocation(argv) as BootstrapCall);
    return { args, configPath };
  };
  const here = process.cwd();

  it.each([
    [['--config', 'k.yaml', '-v', '5'], ['--config', `${here}/k.yaml`, '-v', '5'], `${here}/k.yaml`],
    [['--config=./a/../k.yaml'], [`--config=${here}/k.yaml`], `${here}/k.yaml`],
    [
      ['--config', '../k.yaml', 'k.yaml'],
      ['--config', join(here, '../k.yaml'), 'k.yaml'],
      join(here, '../k.yaml'),
    ],
    [['--config', '/k.yaml'], ['--config', '/k.yaml'], '/k.yaml'],
    [['--token', 'k.yaml'], ['--token', 'k.yaml'], undefined],
  ])('makes of join %j what is meant', (given, args, configPath) => {
    expect(called('join', ...given)).toEqual({ args, configPath });
  });
});

import { describe, expect, it } from 'vitest';
import { insertIntoIgnition } from './ignition.ts';

const FILE = { path: '/etc/slipway/token', mode: 0o600, content: 'secret' };
const ENTRY = { path: FILE.path, mode: 384, contents: { source: 'data:;base64,c2VjcmV0' } };

function inserted(config: object): unknown {
  const insertion = insertIntoIgnition(JSON.stringify(config), [FILE]);
  if (insertion.kind !== 'inserted') throw new Error(JSON.stringify(insertion));
  return JSON.parse(insertion.text);
}

describe('insertIntoIgnition', () => {
  it('adds a file to version 2, on the root file system', () => {
    const config = {
      ignition: { version: '2.3.0' },
      storage: { files: [{ filesystem: 'root', path: '/a', mode: 420 }], links: [] },
      systemd: { units: [{ name: 'kubeadm.service', enabled: true }] },
    };
    expect(inserted(config)).toEqual({
      ...config,
      storage: { ...config.storage, files: [...config.storage.files, { filesystem: 'root', ...ENTRY }] },
    });
  });

  it('adds a file to version 3, with or without files', () => {
    const ignition = { version: '3.4.0' };
    expect(inserted({ ignition })).toEqual({ ignition, storage: { files: [{ overwrite: true, ...ENTRY }] } });
    expect(inserted({ ignition, storage: { disks: [] } })).toEqual({
      ignition,
      storage: { disks: [], files: [{ overwrite: true, ...ENTRY }] },
    });
  });

  it.each([
    ['no version', '{"storage":{}}'],
    ['a version that is not known', '{"ignition":{"version":"1.0.0"}}'],
    ['broken JSON', '{"ignition":'],
    ['a file list that is none', '{"ignition":{"version":"3.0.0"},"storage":{"files":{}}}'],
    ['a key twice', '{"ignition":{"version":"3.0.0"},"storage":{"files":[{"path":"/a"}]},"storage":{}}'],
    ['a key in another case', '{"ignition":{"version":"3.0.0"},"Storage":{"files":[]}}'],
    [
      'another config in its place',
      '{"ignition":{"version":"3.0.0","config":{"replace":{"source":"data:,"}}}}',
    ],
    ['a link in the way', '{"ignition":{"version":"3.0.0"},"storage":{"links":[{"path":"/etc//slipway"}]}}'],
    [
      'a directory of its name',
      '{"ignition":{"version":"3.0.0"},"storage":{"directories":[{"path":"/etc/slipway/token/"}]}}',
    ],
    ['a number that cannot be kept', '{"ignition":{"version":"3.0.0"},"a":12345678901234567890}'],
  ])('leaves a config with %s as it is', (_name, text) => {
    expect(insertIntoIgnition(text, [FILE])).toMatchObject({ kind: 'unsupported' });
  });

  it('adds nothing twice', () => {
    const config = { ignition: { version: '3.0.0' }, storage: { files: [{ path: FILE.path }] } };
    expect(insertIntoIgnition(JSON.stringify(config), [FILE])).toEqual({ kind: 'present' });
  });
});

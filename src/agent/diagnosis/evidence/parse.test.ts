import { describe, expect, it } from 'vitest';
import { HostError } from '../../host/host.ts';
import { parseUnits } from '../../host/show-units.ts';
import {
  parseClusterInfo,
  parseContainerEnd,
  parseContainerLog,
  parseContainers,
  parseDisks,
  parseJournal,
  parseListeners,
  parseMemory,
  parseSwaps,
  readRequestError,
  unitState,
} from './parse.ts';

describe('what the tools of a machine print', () => {
  it('the journal, with the program of each line', () => {
    const text =
      '-- Journal begins at Fri 2026-11-20 --\nNov 21 02:41:01 n3 kubelet[812]: F1121 02:41:01.1     812 server.go:157] unknown flag: --x\nNov 21 02:41:01 n3 systemd[1]: kubelet.service: Main process exited, code=exited, status=255/EXCEPTION\n';
    expect(parseJournal(text)).toEqual([
      { program: 'kubelet', text: 'F1121 02:41:01.1     812 server.go:157] unknown flag: --x' },
      { program: 'systemd', text: 'kubelet.service: Main process exited, code=exited, status=255/EXCEPTION' },
    ]);
  });

  it('systemctl show of several units', () => {
    const text =
      'Id=kubelet.service\nLoadState=loaded\nActiveState=activating\nSubState=auto-restart\nResult=exit-code\nNRestarts=7\nExecMainStatus=255\n\nId=crio.service\nLoadState=not-found\nActiveState=inactive\nSubState=dead\nResult=success\nNRestarts=0\nExecMainStatus=0\n';
    expect(parseUnits(text).map(unitState)).toEqual([
      {
        name: 'kubelet.service',
        load: 'loaded',
        active: 'activating',
        sub: 'auto-restart',
        result: 'exit-code',
        restarts: 7,
        exitStatus: 255,
      },
      {
        name: 'crio.service',
        load: 'not-found',
        active: 'inactive',
        sub: 'dead',
        result: 'success',
        restarts: 0,
        exitStatus: 0,
      },
    ]);
    expect(parseUnits('')).toEqual([]);
  });

  it('df, each file system once', () => {
    const text =
      'Filesystem     1024-blocks    Used Available Capacity Mounted on\n/dev/vda1         20509264 9000000  10500000      47% /\n/dev/vda1         20509264 9000000  10500000      47% /\n/dev/vdb             10240   10240         0     100% /var/lib/etcd\n';
    expect(parseDisks(text)).toEqual([
      { path: '/', totalBytes: 20509264 * 1024, availableBytes: 10500000 * 1024 },
      { path: '/var/lib/etcd', totalBytes: 10240 * 1024, availableBytes: 0 },
    ]);
  });

  it('memory and swap', () => {
    expect(parseMemory('MemTotal:        8000000 kB\nMemAvailable:    4000000 kB\n')).toBe(4096000000);
    expect(parseMemory('')).toBeUndefined();
    expect(
      parseSwaps('Filename\t\t\t\tType\t\tSize\n/swap.img                               file\t\t2097148\n'),
    ).toEqual(['/swap.img']);
    expect(parseSwaps('Filename\t\t\t\tType\t\tSize\n')).toEqual([]);
  });

  it('who listens where', () => {
    const text =
      'LISTEN 0      4096               *:10250            *:*    users:(("kubelet",pid=812,fd=14))\nLISTEN 0      128          0.0.0.0:22         0.0.0.0:*    \nLISTEN 0      4096       127.0.0.1:10248      0.0.0.0:*    users:(("kubelet",pid=812,fd=20))\n';
    expect(parseListeners(text)).toEqual([
      { port: 10250, program: 'kubelet (process 812)' },
      { port: 10248, program: 'kubelet (process 812)' },
    ]);
  });

  it('the newest container of each component', () => {
    const text = JSON.stringify({
      containers: [
        {
          id: 'old',
          metadata: { name: 'etcd', attempt: 2 },
          state: 'CONTAINER_EXITED',
          createdAt: '1700000000000000000',
        },
        {
          id: 'new',
          metadata: { name: 'etcd', attempt: 3 },
          state: 'CONTAINER_EXITED',
          createdAt: '1700000100000000000',
        },
        {
          id: 'other',
          metadata: { name: 'coredns', attempt: 0 },
          state: 'CONTAINER_RUNNING',
          createdAt: '1700000100000000000',
        },
      ],
    });
    expect(parseContainers(text)).toEqual([{ id: 'new', name: 'etcd', state: 'exited', restarts: 3 }]);
    expect(parseContainers('FATA[0000] connect: no such file')).toEqual([]);
    const odd = { containers: [null, 7, {}, { metadata: { name: 'etcd' }, id: 1, state: 2 }] };
    expect(parseContainers(JSON.stringify(odd))).toEqual([
      { id: '1', name: 'etcd', state: '2', restarts: 0 },
    ]);
    expect(parseContainerEnd('{"status": {"exitCode": 137, "reason": "OOMKilled"}}')).toEqual({
      exitCode: 137,
      reason: 'OOMKilled',
    });
    expect(parseContainerEnd('')).toEqual({});
  });

  it('a log file of a container', () => {
    expect(
      parseContainerLog('2026-11-21T02:41:01.1Z stderr F one\n2026-11-21T02:41:02.1Z stdout P two\n', 1),
    ).toEqual(['two']);
  });

  it('cluster-info, or a page of something else', () => {
    expect(
      parseClusterInfo('{"kind":"ConfigMap","data":{"kubeconfig":"x","jws-kubeconfig-abcdef":"y..z"}}'),
    ).toEqual({ signedBy: ['abcdef'] });
    expect(parseClusterInfo('{"kind":"ConfigMap"}')).toEqual({ signedBy: [] });
    expect(parseClusterInfo('{"kind":"Status"}')).toBeUndefined();
    expect(parseClusterInfo('<html>')).toBeUndefined();
  });

  it('the step at which a request failed', () => {
    const error = (errno: string) => new HostError('x', errno);
    expect(readRequestError(error('ENOTFOUND')).failedAt).toBe('dns');
    expect(readRequestError(error('ECONNREFUSED')).failedAt).toBe('tcp');
    expect(readRequestError(error('EHOSTUNREACH')).failedAt).toBe('tcp');
    expect(readRequestError(error('DEPTH_ZERO_SELF_SIGNED_CERT')).failedAt).toBe('tls');
    expect(readRequestError(error('ECLIENTCERT')).failedAt).toBe('tls');
    expect(readRequestError(error('ETIMEDOUT')).failedAt).toBe('tcp');
    expect(readRequestError(new HostError('x', 'ETIMEDOUT', undefined, true)).failedAt).toBe('mute');
    expect(readRequestError(error('EFBIG'))).toEqual({ failedAt: 'http', problem: 'x' });
  });
});

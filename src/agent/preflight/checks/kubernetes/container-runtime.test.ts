import { createServer, type Http2Server } from 'node:http2';
import { createServer as createPlainServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { readConfig } from '../../../kubeadm/config/config.ts';
import { runPreflight } from '../../run-checks.ts';
import { containerRuntime } from './container-runtime.ts';

describe('the check of the container runtime', () => {
  let dir: string;
  let server: Http2Server | Server | undefined;
  beforeEach(() => {
    dir = scratch();
  });
  afterEach(() => {
    server?.close();
    server = undefined;
  });

  const ask = async (kubeadmMinor = 31, scheme = 'unix://') => {
    const config = readConfig({ verb: 'join', args: [`--cri-socket=${scheme}${dir}/s`] });
    const task = { config, kubeadmMinor, attempted: false, mend: false };
    return (await containerRuntime.run(createLinuxHost(), task)).map(
      ({ severity, code, message }) => `${severity} ${code} ${message}`,
    );
  };
  const listen = (made: Http2Server | Server) => {
    server = made;
    return new Promise<void>((resolve) => {
      made.listen(`${dir}/s`, resolve);
    });
  };
  /** A gRPC server that knows these services and answers their calls with an empty message. */
  const serve = (services: string[], status = 0) => {
    const grpc = createServer();
    grpc.on('stream', (stream, headers) => {
      const known = services.some((service) => headers[':path'] === `/${service}/Version`);
      if (!known || status !== 0) {
        const code = known ? status : 12;
        stream.respond(
          {
            ':status': 200,
            'content-type': 'application/grpc',
            'grpc-status': code,
            'grpc-message': 'so it is',
          },
          { endStream: true },
        );
        return;
      }
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': 0 }));
      stream.end(Buffer.from([0, 0, 0, 0, 0]));
    });
    return listen(grpc);
  };

  it('finds the socket by a path and by each form of its URL', async () => {
    await serve(['runtime.v1.RuntimeService']);
    for (const scheme of ['unix://', 'unix:', '']) expect(await ask(31, scheme), scheme).toEqual([]);
  });

  it('is content with CRI v1, and with v1alpha2 before 1.26', async () => {
    await serve(['runtime.v1.RuntimeService']);
    expect(await ask()).toEqual([]);
    server?.close();
    await serve(['runtime.v1alpha2.RuntimeService']);
    expect(await ask(25)).toEqual([]);
    expect(await ask(26)).toEqual([
      expect.stringMatching(/^fatal ContainerRuntimeUnsuitable .*v1alpha2 only/),
    ]);
  });

  it('tells a runtime without CRI from one that is down', async () => {
    expect(await ask()).toEqual([expect.stringMatching(/^fatal ContainerRuntimeDown .*has no socket/)]);
    await serve([]);
    expect(await ask()).toEqual([
      expect.stringMatching(/^fatal ContainerRuntimeUnsuitable .*does not speak CRI/),
    ]);
    server?.close();
    await serve(['runtime.v1.RuntimeService'], 13);
    expect(await ask()).toEqual([expect.stringMatching(/^fatal ContainerRuntimeDown .*an error: so it is/)]);
  });

  it('sends nobody to containerd where another runtime is asked for', async () => {
    const config = readConfig({ verb: 'join', args: [`--cri-socket=unix://${dir}/crio.sock`] });
    const real = createLinuxHost();
    const run = async () => ({ exitStatus: 1, stdout: '', stderr: '', timedOut: false, ms: 1 });
    const host = { ...real, processes: { ...real.processes, run } };
    const task = { config, kubeadmMinor: 31, attempted: false, mend: false };
    expect(await containerRuntime.run(host, task)).toMatchObject([
      { code: 'ContainerRuntimeDown', remedy: expect.stringContaining('journalctl -u crio') },
    ]);
  });

  it('says that one whose unit is masked comes up never, whatever is ignored, and of one that is disabled that it is', async () => {
    const real = createLinuxHost();
    const host = (stdout: string) => ({
      ...real,
      files: { ...real.files, list: async () => [] },
      processes: {
        ...real.processes,
        run: async () => ({ exitStatus: 0, stdout, stderr: '', timedOut: false, ms: 1 }),
      },
    });
    const args = [`--cri-socket=unix://${dir}/containerd.sock`, '--ignore-preflight-errors=all'];
    const task = {
      config: readConfig({ verb: 'join', args }),
      kubeadmMinor: 31,
      attempted: false,
      mend: false,
    };
    const look = async (unit: string) =>
      (await runPreflight(host(unit), task, [containerRuntime])).findings[0];
    const masked = 'LoadState=masked\nUnitFileState=masked\nActiveState=inactive\n';
    expect(await look(masked)).toMatchObject({
      severity: 'fatal',
      code: 'ContainerRuntimeDown',
      message: expect.stringMatching(/containerd\.service is masked$/),
      remedy: expect.stringMatching(/systemctl unmask containerd\.service/),
      isPermanent: true,
    });
    for (const mayCome of [
      masked.replace('=inactive', '=activating'),
      masked.replace('=masked\nA', '=masked-runtime\nA'),
      `${masked}Job=7\n`,
      // A vendor's own makes the socket.
      `${masked}\nId=vendor-containerd.service\nLoadState=loaded\n`,
    ])
      expect((await look(mayCome))?.isPermanent, mayCome).toBeUndefined();
    const down = await look('LoadState=loaded\nUnitFileState=enabled\nActiveState=inactive\nJob=0\n');
    expect(down).toMatchObject({ severity: 'warning', message: expect.stringMatching(/has no socket \(/) });
    expect(down?.isPermanent).toBeUndefined();
    const disabled = 'LoadState=loaded\nUnitFileState=disabled\nActiveState=inactive\n';
    expect(await look(`${disabled}Job=0\n`)).toMatchObject({
      message: expect.stringMatching(
        /has no socket: containerd\.service is disabled, and nothing has started it/,
      ),
      remedy: expect.stringMatching(/^Enable it in the image \(systemctl enable containerd\.service\)/),
    });
    expect((await look(`${disabled}Job=7\n`))?.message).toMatch(/has no socket \(/);
  });

  it('says that none comes up where no socket is there or chosen, and each runtime that is installed is masked', async () => {
    const real = createLinuxHost();
    const look = async (
      states: readonly string[],
      {
        kubeadmMinor = 31,
        rest = 'UnitFileState=masked\nActiveState=inactive\n',
        other = '',
        docker = false,
        dockerd = false,
        units = [] as string[],
      } = {},
    ) => {
      const stdout = ['containerd', 'crio', 'cri-docker']
        .map((unit, at) => `Id=${unit}.service\nLoadState=${states[at] ?? 'not-found'}\n${rest}`)
        .join('\n');
      const host = {
        ...real,
        files: {
          ...real.files,
          list: async () => units,
          readIfPresent: async () => Buffer.from('ExecStart=/opt/vendor/containerd\n'),
          stat: async (path: string) =>
            docker && path.endsWith('docker.sock') ? real.files.stat('/') : undefined,
        },
        processes: {
          ...real.processes,
          which: async (name: string) => (dockerd && name === 'dockerd' ? '/usr/bin/dockerd' : undefined),
          run: async ({ argv }: { argv: readonly string[] }) => ({
            exitStatus: 0,
            stdout: argv.some((unit) => unit.includes('*')) ? other : stdout,
            stderr: '',
            timedOut: false,
            ms: 1,
          }),
        },
      };
      const task = { kubeadmMinor, attempted: false, mend: false };
      return (await runPreflight(host, task, [containerRuntime])).findings[0];
    };
    expect(await look(['masked'])).toMatchObject({
      code: 'ContainerRuntimeDown',
      message: expect.stringMatching(/unit containerd\.service is masked$/),
      isPermanent: true,
    });
    expect((await look(['masked', 'masked']))?.message).toMatch(
      /units containerd\.service and crio\.service are masked$/,
    );
    const none = expect.stringMatching(/^there is no container runtime/);
    for (const states of [[], ['loaded'], ['masked', 'loaded']])
      expect(await look(states)).toMatchObject({ code: 'ContainerRuntimeDown', message: none });
    // It may come up all the same: it runs still, is masked until the next boot only, or another makes the socket.
    for (const mayCome of [
      { rest: 'UnitFileState=masked\nActiveState=activating\n' },
      { rest: 'UnitFileState=masked\nActiveState=inactive\nJob=7\n' },
      { rest: 'UnitFileState=masked-runtime\nActiveState=inactive\n' },
      { other: 'Id=vendor-containerd.service\nLoadState=loaded\n' },
      { docker: true },
      { units: ['vendor.service'] },
    ])
      expect(await look(['masked'], mayCome)).toMatchObject({ message: none });
    // Docker's unit is none of them, and where there is no Docker there is none to wait for.
    expect(await look(['masked'], { kubeadmMinor: 23, dockerd: true })).toMatchObject({ message: none });
    expect(await look(['masked'], { kubeadmMinor: 23 })).toMatchObject({ isPermanent: true });
  });

  it('does not wait for one that never answers', async () => {
    await listen(createPlainServer(() => undefined));
    expect(await ask()).toEqual([
      expect.stringMatching(/^fatal ContainerRuntimeDown .*does not answer within 0.9 s/),
    ]);
  });

  it('leaves docker to the kubelet', async () => {
    const config = readConfig({ verb: 'join', args: ['--cri-socket=/var/run/dockershim.sock'] });
    expect(await containerRuntime.run(createLinuxHost(), { config, attempted: false, mend: false })).toEqual(
      [],
    );
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { expect, it } from 'vitest';
import { root } from '../../../build/project.ts';
import { ControllerProcess } from '../../../test/support/controller/controller-process.ts';

interface Container {
  args: string[];
  ports?: { name: string; containerPort: number }[];
  securityContext: object;
}

interface Pod {
  metadata: { labels: Record<string, string> };
  spec: {
    containers: Container[];
    securityContext: object;
    volumes?: object[];
    initContainers?: Container[];
  };
}

interface Rule {
  ports?: { port: string }[];
  from?: object[];
}

interface Manifest {
  file: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec: {
    template: Pod;
    podSelector: { matchLabels: Record<string, string> };
    policyTypes: string[];
    ingress?: Rule[];
    selector: Record<string, string>;
    ports: { targetPort: string }[];
  };
}

const FOLDER = join(root, 'manifests');
const manifests = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml') && !/samples|crd|kustomization|metadata/.test(file))
  .flatMap((file) =>
    (loadAll(readFileSync(join(FOLDER, file), 'utf8')) as Manifest[]).map((manifest) => ({
      ...manifest,
      file,
    })),
  );
const of = (kind: string): Manifest[] => manifests.filter((one) => one.kind === kind);
const deployment = (name: string) => of('Deployment').filter(({ metadata }) => metadata.name === name);

it('recommends no token that is good for longer than a day', () => {
  const texts = [
    ...readdirSync(join(FOLDER, 'samples')).map((name) => join(FOLDER, 'samples', name)),
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(root, 'docs', name)),
  ].map((path) => readFileSync(path, 'utf8'));
  const ttls = texts.flatMap((text) =>
    [...text.matchAll(/--ttl[ =](\S+?)(?=[\s`\]]|$)/g)].map(([, ttl]) => ttl),
  );
  expect(ttls.length).toBeGreaterThan(1);
  for (const ttl of ttls) expect(ttl).toMatch(/^(?:1?\d|2[0-4])h$/);
});

it('lets nobody run a pod with rights of the host beside the controller and the approver', () => {
  const namespaces = of('Namespace');
  expect(namespaces.map(({ metadata }) => metadata.name)).toEqual(['slipway-system', 'slipway-system']);
  for (const { file, metadata } of namespaces)
    for (const mode of ['enforce', 'warn', 'audit'])
      expect(metadata.labels?.[`pod-security.kubernetes.io/${mode}`], file).toBe('restricted');
});

it.each(of('Deployment'))('$metadata.name of $file asks for no more than that allows', ({ spec }) => {
  const { spec: pod } = spec.template;
  expect(pod.securityContext).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  // Whatever else there is gives rights of the host, or is not looked at here.
  const known = ['serviceAccountName', 'securityContext', 'containers', 'volumes'];
  const harmless = ['terminationGracePeriodSeconds', 'affinity', 'tolerations'];
  expect(Object.keys(pod).filter((key) => ![...known, ...harmless].includes(key))).toEqual([]);
  for (const { securityContext } of pod.containers)
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  for (const volume of pod.volumes ?? []) expect(Object.keys(volume)).toEqual(['name', 'secret']);
});

/** What may come to pods with these labels: by the name of a port, from where; undefined: everything. */
function allowed(labels: Record<string, string>): Record<string, object[] | 'anywhere'> | undefined {
  const policies = of('NetworkPolicy').filter(({ spec }) =>
    Object.entries(spec.podSelector.matchLabels).every(([key, value]) => labels[key] === value),
  );
  if (policies.length === 0) return undefined;
  const rules = policies.flatMap(({ spec }) => {
    expect(spec.policyTypes).toContain('Ingress');
    return spec.ingress ?? [];
  });
  return Object.fromEntries(
    rules.flatMap(({ ports, from }) => {
      if (!ports) throw new Error('a rule for all ports');
      return ports.map(({ port }) => [port, from ?? 'anywhere'] as const);
    }),
  );
}

it('lets machines come from anywhere, metrics be read from namespaces that say so, and nobody else in', () => {
  const [controller] = deployment('slipway-controller');
  expect(allowed(controller?.spec.template.metadata.labels ?? {})).toEqual({
    reports: 'anywhere',
    metrics: [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }],
  });
  const others = of('Deployment').filter(({ metadata }) => metadata.name !== 'slipway-controller');
  expect(others.map(({ metadata }) => metadata.name).sort()).toEqual([
    'slipway-approver',
    'slipway-approver',
    'slipway-minter',
    'slipway-webhook',
  ]);
  const metrics = [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }];
  const expected: Record<string, { allowed: object; ports: string[] }> = {
    'slipway-approver': { allowed: { metrics }, ports: ['metrics', 'probes'] },
    'slipway-minter': { allowed: {}, ports: [] },
    'slipway-webhook': { allowed: { webhook: 'anywhere', metrics }, ports: ['webhook', 'metrics', 'probes'] },
  };
  for (const { metadata, spec } of others) {
    const ports = spec.template.spec.containers.flatMap(({ ports: of = [] }) => of.map(({ name }) => name));
    const here = { allowed: allowed(spec.template.metadata.labels), ports };
    expect(here, metadata.name).toEqual(expected[metadata.name]);
  }
  const services = of('Service').map(({ spec }) => [
    spec.selector,
    spec.ports.map((port) => port.targetPort),
  ]);
  const [webhook] = deployment('slipway-webhook');
  expect(services).toEqual([
    [controller?.spec.template.metadata.labels, ['reports']],
    [webhook?.spec.template.metadata.labels, ['webhook']],
  ]);
});

it('names the ports that the program listens on when it is started so, and there are no others', async () => {
  const [container] = deployment('slipway-controller')[0]?.spec.template.spec.containers ?? [];
  const data = mkdtempSync(join(tmpdir(), 'slipway-ports-'));
  // In a network of its own, because the ports are those of the manifest.
  const words = ['--standalone', `--data=${data}`, ...(container?.args.slice(1) ?? [])];
  const controller = await ControllerProcess.start(words, ['unshare', '--net']);
  try {
    const { port, adminPort, probePort } = controller;
    expect(container?.ports?.map(({ name, containerPort }) => [name, containerPort])).toEqual([
      ['reports', port],
      ['metrics', adminPort],
      ['probes', probePort],
    ]);
    expect(listening(controller.pid)).toEqual([probePort, adminPort, port].sort((a, b) => a - b));
  } finally {
    await controller.end('SIGKILL');
    rmSync(data, { recursive: true });
  }
});

/** Ports of TCP in the network of a process (proc_pid_net(5)). */
function listening(pid: number): number[] {
  const lines = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1, -1),
  );
  const LISTEN = '0A';
  const sockets = lines.map((line) => line.trim().split(/\s+/)).filter(([, , , state]) => state === LISTEN);
  return sockets
    .map(([, local = '']) => Number.parseInt(local.split(':')[1] ?? '', 16))
    .sort((a, b) => a - b);
}

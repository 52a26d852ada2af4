import type { Hostname, NtpSettings } from '../../document/document.ts';
import type { KernelSettings } from '../../document/node-settings.ts';
import type { StepKind } from '../kind/step-kind.ts';
import type { ProxySpec } from './proxy.ts';

/** Kinds of steps that make the machine fit to be a node: host name, time, kernel modules and settings, proxy. */
export const hostname: StepKind<Hostname> = {
  name: 'hostname',
  plan: ({ hostname: spec }) =>
    spec
      ? [
          {
            id: 'hostname',
            title: `set the host name to ${(spec.prefersFqdn && spec.fqdn) || spec.name}`,
            spec,
          },
        ]
      : [],
  details: ({ name, fqdn }) => [fqdn ?? name],
  work: async () => (await import('./hostname.ts')).setHostname,
};

export const ntp: StepKind<NtpSettings> = {
  name: 'ntp',
  plan: ({ ntp: spec }) => (spec ? [{ id: 'ntp', title: 'set up time synchronisation', spec }] : []),
  details: ({ servers, pools, own }) => [
    ...servers,
    ...pools,
    ...(own?.path === undefined ? [] : [`configured at ${own.path}`]),
  ],
  preview: async (specs, context) => (await import('./ntp.ts')).previewTime(specs, context),
  work: async () => (await import('./ntp.ts')).setUpTime,
};

export const kernel: StepKind<KernelSettings> = {
  name: 'kernel',
  plan: ({ node }) =>
    node?.kernel
      ? [{ id: 'kernel', title: 'load kernel modules and set kernel settings', spec: node.kernel }]
      : [],
  details: ({ modules, sysctls }) => [
    ...modules,
    ...Object.entries(sysctls).map(([key, value]) => `${key} = ${value}`),
  ],
  preview: async (specs, context) => (await import('./kernel.ts')).previewKernel(specs, context),
  work: async () => (await import('./kernel.ts')).setUpKernel,
};

export const proxy: StepKind<ProxySpec> = {
  name: 'proxy',
  plan: ({ node, commands }) =>
    node?.proxy
      ? [
          {
            id: 'proxy',
            title: 'set up the proxy',
            spec: {
              settings: node.proxy,
              command: commands.find((entry) => entry.kind === 'kubeadm'),
              restartLater: node.containerd !== undefined,
            },
          },
        ]
      : [],
  details: ({ settings: { except } }) => (except.length > 0 ? [`except ${except.join(', ')}`] : []),
  work: async () => (await import('./proxy.ts')).setUpProxy,
};

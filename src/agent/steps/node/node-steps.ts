import { counted } from '../../../kit/counted.ts';
import { digest } from '../../../kit/digest.ts';
import { prospectOf } from '../../callers/find-callers.ts';
import type { Hostname, NtpSettings } from '../../document/document.ts';
import type { KernelSettings } from '../../document/node-settings.ts';
import { isSecretReference, readReference, shownAddress } from '../../stores/reference/reference.ts';
import type { StepKind } from '../kind/step-kind.ts';
import { storesFor } from '../tools/secret-files.ts';
import type { FilesSpec } from './files.ts';
import type { ProxySpec } from './proxy.ts';
import type { DeletionSpec } from './secret-deletion.ts';

/** Kinds of steps that make the machine fit to be a node: files, host name, time, kernel modules and settings, proxy. */
export const files: StepKind<FilesSpec> = {
  name: 'files',
  plan: (document) => {
    const entries = document.files.filter(({ defer, rule }) => !defer && rule === undefined);
    return entries.length === 0
      ? []
      : [
          {
            id: 'files',
            title: `write ${counted(entries.length, 'file')}`,
            spec: { entries, ...storesFor(document, entries) },
          },
        ];
  },
  details: ({ entries }) =>
    entries.map(({ path, content, from, mode, owner, append }) => {
      const bytes = content.reveal();
      if (from)
        return `fetch ${path} ${mode.toString(8).padStart(4, '0')} ${owner} from ${shownAddress(from.url.reveal())}`;
      const how = append ? 'append' : 'write';
      return `${how} ${path} ${mode.toString(8).padStart(4, '0')} ${owner} ${bytes.length} bytes ${digest(bytes).slice(0, 12)}`;
    }),
  preview: async (specs, context) => (await import('../files/preview-files.ts')).previewFiles(specs, context),
  work: async () => (await import('./files.ts')).writeFiles,
};

export const deferredFiles: typeof files = {
  ...files,
  plan: (document) => {
    const entries = document.files.filter(({ defer, rule }) => defer && rule === undefined);
    return entries.length === 0
      ? []
      : [
          {
            id: 'files/deferred',
            title: `write ${counted(entries.length, 'deferred file')}`,
            spec: { entries, ...storesFor(document, entries) },
          },
        ];
  },
};

export const secretDeletion: StepKind<DeletionSpec> = {
  name: 'secret-deletion',
  plan: (document) => {
    const addresses = document.files.flatMap(({ from }) =>
      from && isDeletedLater(from.url.reveal()) ? [from.url] : [],
    );
    return addresses.length === 0
      ? []
      : [
          {
            id: 'secrets/deleted',
            title: `delete ${counted(addresses.length, 'secret')} at the source`,
            spec: {
              ...{ addresses, ...storesFor(document, document.files) },
              ...(!document.withoutKubeadm && prospectOf(document) === 'maybe' ? { ifNode: true } : {}),
            },
          },
        ];
  },
  details: ({ addresses }) => addresses.map((address) => `delete ${shownAddress(address.reveal())}`),
  work: async () => (await import('./secret-deletion.ts')).deleteSecrets,
};

function isDeletedLater(address: string): boolean {
  const reference = isSecretReference(address) ? readReference(address) : undefined;
  return reference !== undefined && 'isDeleted' in reference && reference.isDeleted;
}

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

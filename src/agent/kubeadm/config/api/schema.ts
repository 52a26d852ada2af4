/**
 * The shape of kubeadm's configuration, all versions in one table: what changed is marked with the version in
 * which a field came (`since`) or was there for the last time (`until`).
 *
 * Source: the reference pages kubeadm-config.v1beta2 to v1beta4 of Kubernetes' documentation.
 */
import type { ApiVersion } from './versions.ts';

export type Shape =
  | { kind: 'text' }
  | { kind: 'yes-no' }
  | { kind: 'number' }
  /** A duration as Go writes it, e.g. `5m0s`. */
  | { kind: 'duration' }
  | { kind: 'list'; of: Shape }
  | { kind: 'map'; of: Shape }
  | { kind: 'object'; fields: Record<string, Field> }
  /** A map of flags to values before v1beta4, a list of names and values since. */
  | { kind: 'arguments' }
  /** Not looked into. */
  | { kind: 'anything' };

export type Field = Shape & {
  since?: ApiVersion;
  until?: ApiVersion;
  /** Where the value belongs in the versions that do not have the field. */
  now?: string;
};

const text: Shape = { kind: 'text' };
const yesNo: Shape = { kind: 'yes-no' };
const number: Shape = { kind: 'number' };
const duration: Shape = { kind: 'duration' };
const texts: Shape = { kind: 'list', of: text };
const flags: Shape = { kind: 'arguments' };
const anything: Shape = { kind: 'anything' };
const object = (fields: Record<string, Field>): Shape => ({ kind: 'object', fields });
const list = (of: Shape): Shape => ({ kind: 'list', of });
const since = (version: ApiVersion, shape: Shape): Field => ({ ...shape, since: version });
const until = (version: ApiVersion, shape: Shape, now?: string): Field => ({
  ...shape,
  until: version,
  ...(now === undefined ? {} : { now }),
});

const HEAD: Record<string, Field> = { apiVersion: text, kind: text };

/** One argument or environment variable of the newer lists. */
export const NAME_AND_VALUE: Shape = object({ name: text, value: text });

const volumes = list(
  object({ name: text, hostPath: text, mountPath: text, readOnly: yesNo, pathType: text }),
);
const variables = since('v1beta4', list(object({ name: text, value: text, valueFrom: anything })));
const component: Record<string, Field> = { extraArgs: flags, extraVolumes: volumes, extraEnvs: variables };
const image: Record<string, Field> = { imageRepository: text, imageTag: text };
const endpoint = object({ advertiseAddress: text, bindPort: number });
const patches = since('v1beta3', object({ directory: text }));
const skipPhases = since('v1beta3', texts);
const timeouts = since(
  'v1beta4',
  object({
    controlPlaneComponentHealthCheck: duration,
    kubeletHealthCheck: duration,
    kubernetesAPICall: duration,
    etcdAPICall: duration,
    tlsBootstrap: duration,
    discovery: duration,
    upgradeManifests: duration,
  }),
);

const registration = object({
  name: text,
  criSocket: text,
  taints: list(object({ key: text, value: text, effect: text, timeAdded: anything })),
  kubeletExtraArgs: flags,
  ignorePreflightErrors: since('v1beta2', texts),
  imagePullPolicy: since('v1beta3', text),
  imagePullSerial: since('v1beta4', yesNo),
});

export const SCHEMA: Record<'InitConfiguration' | 'ClusterConfiguration' | 'JoinConfiguration', Shape> = {
  InitConfiguration: object({
    ...HEAD,
    bootstrapTokens: list(
      object({
        token: text,
        description: text,
        ttl: duration,
        expires: anything,
        usages: texts,
        groups: texts,
      }),
    ),
    dryRun: since('v1beta4', yesNo),
    nodeRegistration: registration,
    localAPIEndpoint: endpoint,
    certificateKey: since('v1beta2', text),
    skipPhases,
    patches,
    timeouts,
  }),
  ClusterConfiguration: object({
    ...HEAD,
    etcd: object({
      local: object({
        ...image,
        dataDir: text,
        extraArgs: flags,
        extraEnvs: variables,
        serverCertSANs: texts,
        peerCertSANs: texts,
      }),
      external: object({
        endpoints: texts,
        httpEndpoints: since('v1beta4', texts),
        caFile: text,
        certFile: text,
        keyFile: text,
      }),
    }),
    networking: object({ serviceSubnet: text, podSubnet: text, dnsDomain: text }),
    kubernetesVersion: text,
    controlPlaneEndpoint: text,
    apiServer: object({
      ...component,
      certSANs: texts,
      timeoutForControlPlane: until(
        'v1beta3',
        duration,
        'timeouts.controlPlaneComponentHealthCheck of the InitConfiguration',
      ),
    }),
    controllerManager: object(component),
    scheduler: object(component),
    dns: object({ ...image, type: until('v1beta2', text), disabled: since('v1beta4', yesNo) }),
    proxy: since('v1beta4', object({ disabled: yesNo })),
    certificatesDir: text,
    imageRepository: text,
    useHyperKubeImage: until('v1beta2', yesNo),
    featureGates: { kind: 'map', of: yesNo },
    clusterName: text,
    encryptionAlgorithm: since('v1beta4', text),
    certificateValidityPeriod: since('v1beta4', duration),
    caCertificateValidityPeriod: since('v1beta4', duration),
  }),
  JoinConfiguration: object({
    ...HEAD,
    dryRun: since('v1beta4', yesNo),
    nodeRegistration: registration,
    caCertPath: text,
    discovery: object({
      bootstrapToken: object({
        token: text,
        apiServerEndpoint: text,
        caCertHashes: texts,
        unsafeSkipCAVerification: yesNo,
      }),
      file: object({ kubeConfigPath: text }),
      tlsBootstrapToken: text,
      timeout: until('v1beta3', duration, 'timeouts.discovery'),
    }),
    controlPlane: object({ localAPIEndpoint: endpoint, certificateKey: since('v1beta2', text) }),
    skipPhases,
    patches,
    timeouts,
  }),
};

type OwnKind = keyof typeof SCHEMA;

export function isOwnKind(kind: string): kind is OwnKind {
  return Object.hasOwn(SCHEMA, kind);
}

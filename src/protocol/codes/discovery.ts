/** Codes for failures of kubeadm with the cluster that it joins: its address, the trust in it, and the credentials for it. */
import { type CodeEntry, entry } from './entry.ts';

export const discoveryCodes = () =>
  ({
    NoUsableAddress: entry(
      'network',
      'until-deadline',
      'This machine has no IP address and default route that Kubernetes could use.',
      'Check the network configuration of the machine (ip address, ip route), or set localAPIEndpoint.advertiseAddress.',
    ),
    ApiServerNameUnresolved: entry(
      'network',
      'transient',
      'The name of the API server cannot be resolved.',
      'Check the control plane endpoint, and the DNS servers of this machine (resolvectl status).',
    ),
    ApiServerUnreachable: entry(
      'network',
      'transient',
      'The API server cannot be reached.',
      'Check that the control plane endpoint is right and its load balancer up, and that routes, firewall and security groups let this machine through.',
    ),
    ApiServerUnavailable: entry(
      'network',
      'transient',
      'The API server answers, but cannot serve the request.',
      'Look at the health of the control plane and of its etcd, and at the load balancer in front of it.',
    ),
    ApiServerCertificateInvalid: entry(
      'discovery',
      'permanent',
      'The certificate of the API server is not valid for this cluster, this address or this time.',
      'Add the control plane endpoint to apiServer.certSANs, and check that the endpoint leads to the right cluster.',
    ),
    ClockWrong: entry(
      'node',
      'until-deadline',
      'A certificate is not valid at the time that the clock of this machine shows.',
      'Set the clock (NTP); if the clock is right, the certificate named has expired and must be renewed.',
    ),
    TokenUnknown: entry(
      'discovery',
      'until-deadline',
      'The cluster does not know the bootstrap token, or it has expired.',
      'Let Cluster API make new bootstrap data (replace the machine), or create the token, with the usages signing and authentication; check that kube-controller-manager runs its token controllers.',
    ),
    TokenSecretWrong: entry(
      'discovery',
      'permanent',
      'The secret half of the bootstrap token is wrong, or another cluster answers at this endpoint.',
      'Check that the control plane endpoint leads to the right cluster, then let Cluster API make new bootstrap data.',
    ),
    CaHashMismatch: entry(
      'discovery',
      'permanent',
      'The cluster has another certificate authority than the one that this machine was told to trust.',
      'Check that the control plane endpoint leads to the right cluster; correct caCertHashes if the CA was replaced.',
    ),
    ClusterInfoUnavailable: entry(
      'discovery',
      'until-deadline',
      'The cluster does not publish the cluster-info that a join needs.',
      'Run kubeadm init phase bootstrap-token on a control plane, and check that anonymous access to cluster-info is allowed.',
    ),
    DiscoveryFileInvalid: entry(
      'discovery',
      'permanent',
      'The kubeconfig for discovery cannot be used.',
      'Correct discovery.file in the KubeadmConfig.',
    ),
    CredentialsRejected: entry(
      'credentials',
      'until-deadline',
      'The API server does not accept the credentials of this machine.',
      'Check that the bootstrap token has the usage "authentication" and has not expired; let Cluster API make new bootstrap data.',
    ),
    PermissionDenied: entry(
      'credentials',
      'permanent',
      'The credentials of this machine may not do what kubeadm needs.',
      'Restore the RBAC rules with kubeadm init phase bootstrap-token and upload-config; check admission plugins.',
    ),
    CertificateKeyInvalid: entry(
      'credentials',
      'permanent',
      'The shared certificates cannot be decrypted with the certificate key.',
      'Use the key of the last kubeadm init phase upload-certs --upload-certs.',
    ),
    CertificateSecretMissing: entry(
      'credentials',
      'until-deadline',
      'The Secret with the shared certificates is not in the cluster.',
      'Run kubeadm init phase upload-certs --upload-certs on a control plane; the Secret lives for two hours.',
    ),
    CertificatesMissing: entry(
      'credentials',
      'permanent',
      'A certificate or key that control planes share is not on this machine.',
      'Check that the certificate Secrets of the cluster are complete and that user data writes them.',
    ),
    CertificateInvalid: entry(
      'credentials',
      'permanent',
      'A certificate or key on this machine cannot be used.',
      'Check the certificate Secrets of the cluster: key and certificate must belong together and be signed by the CA given.',
    ),
  }) satisfies Record<string, CodeEntry>;

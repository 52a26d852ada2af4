/** Codes for failures of kubeadm with the cluster that it joins: its address, the trust in it, and the credentials for it. */
import { tableOf } from './entry.ts';

export const discoveryCodes = () =>
  tableOf({
    NoUsableAddress: {
      category: 'network',
      persistence: 'until-deadline',
      meaning: 'This machine has no IP address and default route that Kubernetes could use.',
      impact: 'kubeadm cannot choose an address to advertise; Slipway retries until its deadline.',
      fix: 'Check the network configuration of the machine (ip address, ip route), or set localAPIEndpoint.advertiseAddress.',
      check: 'Check the network again (ip address, ip route): it shows a global address and a default route.',
      cure: { who: 'cloud', why: "Addresses and routes usually come from the network's DHCP." },
    },
    ApiServerNameUnresolved: {
      category: 'network',
      persistence: 'transient',
      meaning: 'The hostname of the API server cannot be resolved.',
      impact: 'The machine cannot reach its cluster; Slipway retries until its deadline.',
      fix: 'Check the control plane endpoint, and the DNS servers of this machine (resolvectl status).',
      check: "Run nslookup HOST with the endpoint's name: it prints the address.",
      cure: { who: 'cloud', why: 'DNS belongs to the infrastructure, and a retry succeeds when it answers.' },
    },
    ApiServerUnreachable: {
      category: 'network',
      persistence: 'transient',
      meaning: 'The API server cannot be reached.',
      impact: 'The machine cannot join; Slipway retries until its deadline.',
      fix: 'Check the control plane endpoint and its load balancer, and that routes, firewall and security groups allow traffic from this machine.',
      check: 'Run curl -k https://ENDPOINT/livez on the machine: it gets an HTTP answer.',
      cure: {
        who: 'cluster',
        why: 'The control plane or its load balancer is down for each machine that joins.',
      },
    },
    ApiServerUnavailable: {
      category: 'network',
      persistence: 'transient',
      meaning: 'The API server answers, but cannot serve the request.',
      impact: 'The join cannot continue; Slipway retries until its deadline.',
      fix: 'Check the health of the control plane and of its etcd, and the load balancer in front of it.',
      check: 'Run kubectl get --raw /readyz: it prints ok.',
      cure: { who: 'cluster', why: 'The control plane has to recover; another machine meets the same one.' },
    },
    ApiServerCertificateInvalid: {
      category: 'discovery',
      persistence: 'permanent',
      meaning: "The API server's certificate is not valid for this cluster, this address or this time.",
      impact: 'Slipway does not trust the server and stops at once.',
      fix: 'Add the control plane endpoint to apiServer.certSANs, and check that the endpoint leads to the right cluster.',
      check:
        "Run openssl s_client -connect ENDPOINT and print the certificate with openssl x509 -text: its SANs contain the endpoint's name or address.",
      cure: {
        who: 'cluster',
        why: "The certificate is the control plane's, and no joining machine can change it.",
      },
    },
    ClockWrong: {
      category: 'node',
      persistence: 'until-deadline',
      meaning: "A certificate is not valid at the current time of this machine's clock.",
      impact: 'TLS connections fail; Slipway retries until its deadline.',
      fix: 'Set the clock (NTP). If the clock is right, the certificate named has expired and must be renewed.',
      check: 'Compare date -u on the machine with a reliable clock: they differ by less than a minute.',
      cure: {
        who: 'this-machine',
        why: 'Time synchronisation usually corrects the clock soon after the start.',
      },
    },
    TokenUnknown: {
      category: 'discovery',
      persistence: 'until-deadline',
      meaning: 'The cluster does not know the bootstrap token, or the token has expired.',
      impact: 'The machine cannot trust or join the cluster; Slipway retries until its deadline.',
      fix: 'Have Cluster API generate new bootstrap data (replace the machine), or create the token with the usages signing and authentication; check that kube-controller-manager runs its token controllers.',
      check: 'Run kubeadm token list on a control plane: it lists the token with both usages.',
      cure: {
        who: 'cluster',
        why: 'The token may only be late; an operator can create it, which replaces nothing.',
      },
    },
    TokenSecretWrong: {
      category: 'discovery',
      persistence: 'permanent',
      meaning:
        'The secret half of the bootstrap token is wrong, or another cluster answers at this endpoint.',
      impact: 'The machine does not trust the answer; Slipway stops at once.',
      fix: 'Check that the control plane endpoint leads to the right cluster, then have Cluster API generate new bootstrap data.',
      check:
        'Compare kubectl cluster-info of the intended cluster with the endpoint: both have the same address.',
      cure: {
        who: 'cluster',
        why: 'The endpoint must be checked first, because replacements would meet the same wrong cluster.',
      },
    },
    CaHashMismatch: {
      category: 'discovery',
      persistence: 'permanent',
      meaning: "The cluster's CA is not the one that this machine was configured to trust.",
      impact: 'The machine does not send its credentials to this cluster; Slipway stops at once.',
      fix: 'Check that the control plane endpoint leads to the right cluster; correct caCertHashes if the CA was replaced.',
      check:
        'Compute the hash of ca.crt on a control plane as the kubeadm join documentation shows: it is in caCertHashes.',
      cure: { who: 'cluster', why: 'The endpoint or the CA is wrong for each machine that joins.' },
    },
    ClusterInfoUnavailable: {
      category: 'discovery',
      persistence: 'until-deadline',
      meaning: 'The cluster does not publish the cluster-info ConfigMap that a join needs.',
      impact: 'The machine cannot discover the cluster; Slipway retries until its deadline.',
      fix: 'Run kubeadm init phase bootstrap-token on a control plane, and check that anonymous access to cluster-info is allowed.',
      check:
        'Run curl -k https://ENDPOINT/api/v1/namespaces/kube-public/configmaps/cluster-info: it prints the ConfigMap.',
      cure: { who: 'cluster', why: 'The ConfigMap and its RBAC rule are in the workload cluster.' },
    },
    DiscoveryFileInvalid: {
      category: 'discovery',
      persistence: 'permanent',
      meaning: 'The discovery kubeconfig is not usable.',
      impact: 'The machine does not know its cluster; Slipway stops at once.',
      fix: 'Correct discovery.file in the KubeadmConfig.',
      check: 'Run kubectl config view --kubeconfig FILE: it shows one cluster with a server and a CA.',
      cure: { who: 'template', why: 'The file is part of the user data of the group.' },
    },
    CredentialsRejected: {
      category: 'credentials',
      persistence: 'until-deadline',
      meaning: "The API server does not accept this machine's credentials.",
      impact: 'The machine cannot register; Slipway retries until its deadline.',
      fix: 'Check that the bootstrap token has the usage authentication and has not expired; have Cluster API generate new bootstrap data.',
      check:
        'Run kubeadm token list on a control plane: USAGES of the token contains authentication, and EXPIRES is in the future.',
      cure: {
        who: 'cluster',
        why: 'The cluster decides on tokens; an operator can renew one without replacing a machine.',
      },
    },
    PermissionDenied: {
      category: 'credentials',
      persistence: 'permanent',
      meaning: "This machine's credentials do not permit a request that kubeadm must make.",
      impact: 'The join cannot continue; Slipway stops at once.',
      fix: 'Restore the RBAC rules with kubeadm init phase bootstrap-token and upload-config; check admission plugins.',
      check:
        'Run kubectl auth can-i with the denied verb and resource, --as system:bootstrap:ID and --as-group system:bootstrappers:kubeadm:default-node-token: it prints yes.',
      cure: {
        who: 'cluster',
        why: 'RBAC and admission are in the workload cluster, so each joining machine is refused.',
      },
    },
    CertificateKeyInvalid: {
      category: 'credentials',
      persistence: 'permanent',
      meaning: 'The shared certificates cannot be decrypted with the certificate key.',
      impact: 'The machine cannot become a control plane; Slipway stops at once.',
      fix: 'Use the key printed by the last kubeadm init phase upload-certs --upload-certs.',
      check: 'Join again with that key: the download-certs phase of kubeadm ends without an error.',
      cure: {
        who: 'cluster',
        why: 'The uploaded certificates and their key change in the cluster, not on a machine.',
      },
    },
    CertificateSecretMissing: {
      category: 'credentials',
      persistence: 'until-deadline',
      meaning: 'The Secret with the shared certificates does not exist in the cluster.',
      impact: 'The machine cannot become a control plane; Slipway retries until its deadline.',
      fix: 'Run kubeadm init phase upload-certs --upload-certs on a control plane; the Secret expires after two hours.',
      check: 'Run kubectl -n kube-system get secret kubeadm-certs: it lists the Secret.',
      cure: { who: 'cluster', why: 'The Secret must be uploaded again to the workload cluster.' },
    },
    CertificatesMissing: {
      category: 'credentials',
      persistence: 'permanent',
      meaning: 'A certificate or key that control planes share is missing on this machine.',
      impact: 'kubeadm cannot set up the control plane; Slipway stops at once.',
      fix: "Check that the cluster's certificate Secrets are complete and that user data writes them.",
      check:
        'Run kubectl get secrets in the management cluster: CLUSTER-ca, CLUSTER-etcd, CLUSTER-proxy and CLUSTER-sa exist.',
      cure: {
        who: 'cluster',
        why: 'The certificates come from Secrets in the management cluster for each control plane.',
      },
    },
    CertificateInvalid: {
      category: 'credentials',
      persistence: 'permanent',
      meaning: 'A certificate or key on this machine is not usable.',
      impact: 'kubeadm does not build a control plane with it; Slipway stops at once.',
      fix: "Check the cluster's certificate Secrets: key and certificate must match, and the CA must have signed the certificate.",
      check: 'Run openssl verify -CAfile CA CERTIFICATE: it prints OK.',
      cure: {
        who: 'cluster',
        why: 'The wrong certificate is in a Secret of the management cluster and reaches each control plane.',
      },
    },
  });

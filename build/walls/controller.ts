/**
 * The controller's rooms, each with what it may import, in the words of the agent's. A server has no machine to set up and lies
 * behind no Host. What it is told and decides (machines, attest, model ...) computes; rooms with `MACHINE` serve, store and ask.
 */
export const CONTROLLER: Readonly<Record<string, string>> = {
  'log.ts': 'kit/terminal secrets',
  model: 'kit protocol',
  web: 'MACHINE',
  policy: 'kit protocol protocol/codes tpm/evidence tpm/wire kube model',
  kube: 'kit kit/bytes kube/untrusted npm:undici MACHINE',
  // What is read of tenants' clusters, and from where.
  'kube/untrusted': 'kit npm:js-yaml MACHINE',
  store: 'kit kit/terminal protocol kube model MACHINE',
  attest:
    'kit pki pki/chain protocol protocol/codes tpm/crypto tpm/evidence tpm/objects tpm/wire kube model policy store',
  // Chains of endorsement keys, in a thread of its own.
  chains: 'kit tpm/evidence attest policy MACHINE',
  capacity: 'protocol kube log.ts machines model store',
  machines: 'kit protocol protocol/codes attest kube log.ts model policy store web',
  // MachinePools: their tokens, and what their machines tell.
  pools: 'kit protocol attest kube log.ts machines model',
  // Tokens of pools that are renewed in the Secrets where templates find them.
  renewal: 'attest kube log.ts MACHINE',
  proofs: 'kit protocol attest kube log.ts machines model policy store',
  // Of Machines whose machines have not reported.
  reporting: 'kit protocol attest kube log.ts machines store',
  // What clusterctl move takes along, and what must not be written while it does.
  moves: 'kit kube log.ts machines model store',
  // What a machine gets only by a proof that it gives now.
  'fresh-proofs': 'pki protocol protocol/codes attest model store',
  'secret-release': 'protocol attest fresh-proofs kube store',
  // What an operator seals, and for whom; no machine talks to it.
  sealing: `kit kit/terminal protocol tpm/evidence tpm/objects tpm/sealing kube machines secret-release MACHINE`,
  approve: 'kit pki protocol kube log.ts machines model',
  ingest:
    'kit kit/bytes protocol protocol/check-in secrets attest fresh-proofs log.ts model secret-release store web MACHINE',
  keys: 'kit pki kube log.ts store',
  // The API server's admission webhook for bootstrap data.
  webhook: 'kit kit/bytes attest keys kube kube/untrusted log.ts machines pools webhook/insert MACHINE',
  'webhook/insert': 'kit kube/untrusted',
  serve: `kit approve attest capacity chains fresh-proofs ingest keys kube log.ts machines model moves
    pools proofs renewal reporting secret-release store web MACHINE`,
  'serve/approve': 'approve kube log.ts machines proofs serve store web MACHINE',
  'serve/webhook': 'kit keys kube log.ts machines serve web webhook MACHINE',
  'cli/text': 'kit kit/terminal protocol model npm:js-yaml',
  'cli/options': 'kit log.ts serve MACHINE',
  // Commands that run until they are told to end.
  'cli/servers': 'kit cli/options kube log.ts serve serve/approve serve/webhook MACHINE',
  cli: `kit kit/terminal protocol tpm/sealing attest cli/options cli/servers cli/text keys kit/command-line
    kube model proofs renewal sealing secret-release serve store webhook npm:commander MACHINE`,
};

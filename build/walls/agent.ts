/**
 * The agent's rooms, each with what it may import, in the words of rules.ts. Read it as the house's plan: whoever stands in
 * nobody's row is nobody's business, and rows that name a room say who may import it. Only `host` has `MACHINE`: all others get a Host,
 * and which one that is, `machine.ts` decides for a command.
 */
export const AGENT: Readonly<Record<string, string>> = {
  apply: 'protocol document host steps steps/kind stores/reference',
  bootstrap: `kit protocol protocol/codes secrets bootstrap/again bootstrap/lifecycle bootstrap/wipe document
    engine engine/run facts/judge host network platform/instance preflight redaction sealed startup steps
    steps/kind steps/kubeadm userdata userdata/node-settings userdata/sources`,
  'bootstrap/again': `kit kit/terminal protocol secrets tpm/sealing bootstrap/lifecycle document engine host
    kubeadm/config steps steps/kind tools`,
  'bootstrap/lifecycle': `kit protocol document engine host kubeadm/repeat steps steps/commands steps/kind
    steps/sentinel`,
  'bootstrap/wipe': 'document engine host redaction steps',
  callers: 'document host kubeadm/config',
  check:
    'kit kit/bytes kit/terminal protocol protocol/codes tpm/sealing check/rule check/rules document host steps/commands text',
  'check/rule': 'check/shell document userdata',
  'check/rules': 'kit/bytes check/rule check/shell document stores/reference',
  'check/shell': '',
  cli: `kit kit/terminal protocol protocol/codes secrets bootstrap bootstrap/again bootstrap/lifecycle
    cli/authors cli/facts cli/options cli/process cli/reporting cli/text cluster collect create-host.ts credential diagnosis
    diagnosis/transcript document engine facts/judge host identity/tpm install install/windows kit/command-line
    kubeadm/config network preflight preflight/checks redaction release-verification report report/events report/probe reset
    settings startup steps timeline tools userdata userdata/jinja/values npm:commander`,
  'cli/authors': `kit kit/terminal protocol/codes secrets kit/bytes apply check cli/options cli/process
    cli/text create-host.ts document fetch host platform/instance preflight redaction steps text userdata
    userdata/cloud-config/accounts userdata/includes userdata/instance userdata/native userdata/network
    userdata/sources/contract`,
  'cli/facts': 'kit kit/terminal cli/options cli/text create-host.ts facts facts/reading host',
  'cli/options': 'kit kit/terminal host',
  'cli/process': 'kit kit/terminal protocol collect document engine host steps userdata',
  'cli/reporting': `kit/terminal cli/options cli/process create-host.ts host report/checkin report/events report/state
    settings`,
  'cli/shim': `protocol secrets tpm/sealing bootstrap callers cli/options cli/process cli/text create-host.ts
    document engine host identity/tpm kubeadm kubeadm/config kubeadm/repeat kubeadm/run redaction steps tools
    userdata`,
  'cli/text': `kit kit/terminal protocol protocol/codes secrets bootstrap cli/process diagnosis diagnosis/transcript diagnosis/words document engine host kit/command-line report/watch steps steps/kind npm:commander kit/bytes`,
  cluster: 'kit protocol protocol/codes secrets document host text text/yaml',
  collect: 'kit kit/bytes secrets document host kubeadm/config redaction',
  credential: 'kit pki protocol secrets cluster document engine host identity identity/tpm settings',
  diagnosis: `protocol/codes secrets diagnosis/attempts diagnosis/causes diagnosis/evidence diagnosis/patterns
    diagnosis/transcript diagnosis/words`,
  'diagnosis/attempts': 'diagnosis/transcript',
  'diagnosis/causes': 'protocol/codes diagnosis/evidence diagnosis/patterns diagnosis/words host',
  'diagnosis/evidence': 'diagnosis/transcript host',
  'diagnosis/patterns': 'kit/sentences protocol/codes',
  'diagnosis/transcript': 'diagnosis/patterns',
  'diagnosis/words': 'protocol protocol/codes secrets diagnosis/patterns',
  document: 'protocol protocol/codes secrets',
  engine: 'kit protocol protocol/codes secrets document host',
  'engine/run': 'kit protocol protocol/codes engine host',
  facts: 'kit document facts/devices facts/reading facts/system facts/windows host',
  'facts/devices': 'kit facts/reading host',
  'facts/judge':
    'kit document facts facts/reading host userdata/jinja userdata/jinja/syntax userdata/jinja/values',
  'facts/system': 'kit facts/reading platform/instance',
  'facts/reading': 'kit host',
  'facts/windows': 'kit facts/reading host',
  fetch: 'kit secrets document fetch/objects host',
  'fetch/objects': 'host platform platform/credentials',
  host: 'kit tpm MACHINE',
  'host/common/files': 'host host/common/system MACHINE',
  'host/common/net': 'kit host MACHINE',
  'host/common/process': 'host host/common/files host/common/system MACHINE',
  'host/common/system': 'kit host MACHINE',
  'host/linux': `host host/common/net host/common/system host/linux/files host/linux/files/paths host/linux/process
    host/linux/sandbox host/linux/system MACHINE`,
  'host/linux/files': 'host host/common/files host/common/system host/linux/files/paths MACHINE',
  'host/linux/files/paths': 'host host/common/system MACHINE',
  'host/linux/process':
    'kit document host host/common/process host/common/system host/linux/files/paths MACHINE',
  'host/linux/sandbox': 'kit host host/common/process host/linux/process MACHINE',
  'host/linux/system': 'tpm host host/common/system MACHINE',
  'host/windows':
    'kit document host host/common/files host/common/net host/common/process host/common/system MACHINE',
  identity: `kit kit/terminal pki protocol secrets tpm tpm/commands tpm/evidence tpm/objects tpm/wire cluster document
    host identity/tpm settings`,
  'identity/tpm': `kit protocol protocol/codes tpm tpm/commands tpm/crypto tpm/evidence tpm/objects tpm/sealing
    tpm/wire document host`,
  install: 'kit document host',
  'install/windows': 'document host install',
  kubeadm: 'kit protocol protocol/codes',
  'kubeadm/config':
    'kit/sentences secrets document host kubeadm kubeadm/config/api kubeadm/config/kubelet kubeadm/config/yaml',
  'kubeadm/config/api': `kit protocol/codes kubeadm/config/yaml kubeadm/config/kubelet`,
  'kubeadm/config/kubelet': 'kit kubeadm kubeadm/config/yaml',
  'kubeadm/config/yaml': 'kit kubeadm text text/yaml text/yaml/scan npm:js-yaml',
  'kubeadm/repeat': `kit protocol protocol/codes secrets document host kubeadm/config kubeadm/repeat/etcd
    kubeadm/repeat/phases kubeadm/run`,
  'kubeadm/repeat/etcd': 'kit protocol protocol/codes cluster host kubeadm/config',
  'kubeadm/repeat/phases': 'host kubeadm/run',
  'kubeadm/run': `kit protocol protocol/codes secrets cluster diagnosis diagnosis/causes diagnosis/evidence
    diagnosis/words document host kubeadm kubeadm/config kubeadm/config/kubelet`,
  'create-host.ts': 'host host/linux host/windows',
  network: 'secrets document host network/render platform redaction startup tools',
  'network/render': 'kit document',
  platform: 'host',
  'platform/credentials': 'kit protocol/codes host platform/metadata',
  'platform/instance': 'document host',
  'platform/metadata': 'kit host text',
  preflight: `kit cluster document host kubeadm kubeadm/config kubeadm/config/api kubeadm/config/kubelet
    kubeadm/repeat kubeadm/run preflight/checks preflight/checks/kubernetes preflight/checks/system
    preflight/checks/windows startup`,
  'preflight/checks': 'protocol/codes document host kubeadm/config',
  'preflight/checks/kubernetes': `protocol/codes cluster diagnosis/evidence host kubeadm/config kubeadm/config/api
    kubeadm/config/kubelet preflight/checks`,
  'preflight/checks/system': `kit facts facts/judge host kubeadm/config kubeadm/config/kubelet preflight/checks`,
  'preflight/checks/windows': 'host kubeadm/config/kubelet preflight/checks',
  redaction: 'kit/bytes protocol secrets document engine host',
  'release-verification': '',
  report: `kit protocol protocol/codes secrets cluster document engine facts facts/reading host report/events
    report/spool report/state report/transports report/watch report/watch/boot settings`,
  'report/checkin': `kit protocol protocol/check-in document engine host identity report report/events report/spool
    report/state settings tools`,
  'report/events': 'kit kit/terminal protocol secrets host',
  'report/probe': 'kit protocol protocol/check-in engine host identity identity/tpm settings',
  'report/spool': 'protocol document host report/events',
  'report/state': 'kit/terminal protocol secrets document host',
  'report/transports': 'kit protocol host identity report/events report/state settings',
  'report/watch': `kit protocol protocol/codes cluster document engine facts/reading host report/events
    report/watch/boot`,
  'report/watch/boot': `protocol protocol/codes callers diagnosis diagnosis/transcript diagnosis/words document host
    report/events`,
  reset:
    'kit secrets credential document engine host kubeadm kubeadm/config kubeadm/repeat kubeadm/repeat/etcd kubeadm/run',
  sealed: `kit kit/bytes protocol protocol/codes secrets tpm/commands tpm/sealing tpm/wire document engine fetch
    host identity identity/tpm platform/credentials settings stores text userdata`,
  settings: 'kit secrets document host text text/yaml',
  startup: 'protocol/codes host',
  steps: `kit document host steps/accounts steps/boot steps/commands steps/containerd steps/files steps/kind steps/kubeadm
    steps/network steps/node steps/see-node steps/sentinel steps/storage steps/system steps/units
    steps/volumes
    text`,
  'steps/accounts':
    'kit document engine host steps/accounts/files steps/accounts/preview steps/kind steps/tools tools',
  'steps/accounts/files': 'host steps/tools tools',
  'steps/accounts/preview': 'document host steps/accounts/files steps/kind steps/tools text',
  'steps/boot': 'document engine host steps/kind steps/tools tools',
  'steps/commands': 'secrets document engine host kubeadm/config steps/kind steps/shell text',
  'steps/containerd': 'kit document engine host steps/kind steps/tools tools npm:smol-toml',
  'steps/kind':
    'kit protocol secrets callers document engine host kubeadm/config kubeadm/repeat startup steps/shell',
  'steps/kubeadm': `kit kit/sentences protocol protocol/codes secrets cluster credential diagnosis/words document engine facts/judge host kubeadm kubeadm/config kubeadm/repeat kubeadm/repeat/etcd kubeadm/run preflight preflight/checks reset settings startup steps/kind steps/shell text kubeadm/config/kubelet`,
  'steps/files':
    'kit document host steps/kind steps/tools stores/reference tpm/sealing callers engine fetch kubeadm/repeat secrets stores/contract tools platform/credentials',
  'steps/network': 'kit document network steps/kind steps/tools',
  'steps/node': `kit protocol document engine host kubeadm/config kubeadm/run steps/containerd steps/kind steps/node/time
    steps/system/software steps/tools text tools`,
  'steps/node/time': 'document host',
  'steps/see-node': `protocol secrets callers diagnosis diagnosis/evidence diagnosis/transcript diagnosis/words
    document engine host kubeadm/repeat steps/kind steps/sentinel`,
  'steps/sentinel': 'document engine host steps/kind',
  'steps/shell': 'kit secrets document host text',
  'steps/storage':
    'kit document engine host steps/kind steps/storage/devices steps/storage/mounts steps/tools tools',
  'steps/storage/devices': 'kit document host steps/kind text tools',
  'steps/storage/mounts': 'document engine host startup steps/kind steps/storage/devices steps/tools tools',
  'steps/system': `kit document steps/kind steps/system/access steps/system/disk steps/system/ending steps/system/local
    steps/system/software`,
  'steps/system/access': 'secrets document fetch host steps/accounts/files steps/kind steps/tools tools text',
  'steps/system/disk': 'document host steps/kind steps/tools tools text',
  'steps/system/ending': 'kit document host steps/kind steps/tools tools',
  'steps/system/local': 'document host steps/kind steps/tools tools text',
  'steps/system/software': 'secrets document engine fetch host steps/kind steps/tools tools',
  'steps/tools': `kit protocol/codes secrets tpm/sealing document engine fetch host identity/tpm platform/credentials
    redaction stores stores/contract stores/reference tools`,
  'steps/units': 'kit document engine host steps/kind steps/tools tools',
  'steps/volumes':
    'kit secrets document engine fetch host steps/kind steps/storage/devices steps/tools stores/contract tools',
  stores: `kit kit/bytes secrets document fetch platform/credentials stores/age stores/aws stores/clouds
    stores/contract stores/jwe stores/reference stores/vault`,
  'stores/age': 'platform/credentials stores/contract npm:age-encryption',
  'stores/aws': 'kit platform/credentials stores/contract stores/reference',
  'stores/clouds': 'kit host platform/credentials stores/contract stores/reference',
  'stores/contract': 'document host platform/credentials stores/reference',
  'stores/jwe': 'kit host platform/credentials stores/contract npm:@noble/curves',
  'stores/reference': '',
  'stores/vault': 'kit document host platform/credentials stores/contract',
  text: 'kit kit/terminal protocol/codes document',
  'text/shape': 'kit document text text/yaml',
  'text/yaml': 'kit document text text/yaml/scan',
  'text/yaml/scan': 'kit text',
  timeline: 'kit kit/terminal protocol',
  tools: 'kit protocol protocol/codes secrets document host',
  userdata: `kit protocol secrets callers document engine fetch host kubeadm/config platform/instance text
    text/yaml userdata/chunked userdata/cloud-config userdata/decode userdata/ignition userdata/includes
    userdata/instance userdata/jinja userdata/merge userdata/native userdata/network userdata/node-settings
    userdata/sealed userdata/sources userdata/sources/contract userdata/sources/detection`,
  'userdata/cloud-config': `kit secrets document platform/instance text text/yaml userdata/cloud-config/accounts
    userdata/cloud-config/commands userdata/cloud-config/files userdata/cloud-config/shape
    userdata/cloud-config/storage userdata/cloud-config/system userdata/instance userdata/node-settings`,
  'userdata/cloud-config/accounts': 'secrets document text text/yaml userdata/merge',
  'userdata/cloud-config/commands': 'secrets document kubeadm/config text text/yaml',
  'userdata/cloud-config/files': 'kit/bytes secrets document stores/reference text text/yaml',
  'userdata/cloud-config/shape': 'text text/shape text/yaml',
  'userdata/cloud-config/storage': 'document text text/yaml',
  'userdata/cloud-config/system':
    'kit kit/bytes secrets document text text/yaml userdata/cloud-config/accounts userdata/instance',
  'userdata/decode': 'kit kit/bytes document text',
  'userdata/includes': 'kit kit/bytes secrets document fetch host text text/yaml userdata/decode',
  'userdata/chunked': 'document userdata/decode userdata/includes',
  'userdata/ignition': `document host text userdata/ignition/check userdata/ignition/config
    userdata/ignition/lift userdata/ignition/render userdata/ignition/schema userdata/ignition/translate
    userdata/includes`,
  'userdata/ignition/check': `document stores/reference text userdata/ignition/schema userdata/ignition/unit
    userdata/ignition/url`,
  'userdata/ignition/config': 'text userdata/ignition/check userdata/ignition/json userdata/ignition/schema',
  'userdata/ignition/json': 'kit',
  'userdata/ignition/lift':
    'secrets document kubeadm/config text userdata/cloud-config/commands userdata/ignition/unit',
  'userdata/ignition/render': `document fetch text userdata/ignition/check userdata/ignition/config
    userdata/ignition/schema userdata/ignition/translate userdata/includes`,
  'userdata/ignition/schema': 'document text userdata/ignition/json',
  'userdata/ignition/translate': `kit kit/bytes secrets document fetch/objects stores/reference text
    userdata/ignition/check userdata/ignition/schema userdata/ignition/url`,
  'userdata/ignition/unit': '',
  'userdata/ignition/url': 'kit/bytes',
  'userdata/instance': 'document platform/instance text text/yaml',
  'userdata/jinja': `platform/instance text userdata/decode userdata/instance userdata/jinja/filters
    userdata/jinja/syntax userdata/jinja/values`,
  'userdata/jinja/filters': 'text/yaml userdata/jinja/values',
  'userdata/jinja/syntax': 'kit text userdata/jinja/filters userdata/jinja/values',
  'userdata/jinja/values': 'kit text text/yaml',
  'userdata/merge': 'kit document text text/yaml',
  'userdata/native': `kit secrets document host platform/instance stores/reference text text/shape text/yaml
    userdata/cloud-config/accounts userdata/instance userdata/node-settings npm:js-yaml`,
  'userdata/network':
    'kit kit/bytes secrets document host platform platform/instance text text/yaml userdata/network/shape',
  'userdata/network/shape': 'text text/shape text/yaml',
  'userdata/node-settings': `kit protocol secrets document host kubeadm/config stores/reference text text/yaml
    userdata/jinja/syntax userdata/jinja/values`,
  'userdata/sealed': 'kit/bytes protocol text text/yaml userdata/decode',
  'userdata/sources': `host platform platform/instance platform/metadata text userdata/instance
    userdata/sources/azure userdata/sources/channels userdata/sources/clouds userdata/sources/contract
    userdata/sources/detection userdata/sources/nocloud userdata/sources/openstack`,
  'userdata/sources/azure': `kit host platform platform/metadata userdata/sources/contract
    userdata/sources/detection userdata/sources/volumes`,
  'userdata/sources/channels': `kit kit/bytes host platform platform/instance platform/metadata text
    userdata/sources/contract userdata/sources/detection userdata/sources/volumes`,
  'userdata/sources/clouds': `kit host platform platform/instance platform/metadata userdata/sources/contract
    userdata/sources/detection`,
  'userdata/sources/contract':
    'kit protocol/codes document host platform/instance text text/yaml userdata/decode',
  'userdata/sources/images': 'host text',
  'userdata/sources/detection': `kit host platform platform/instance platform/metadata text text/yaml
    userdata/sources/contract`,
  'userdata/sources/nocloud': `kit host platform platform/instance platform/metadata userdata/sources/contract
    userdata/sources/detection userdata/sources/volumes`,
  'userdata/sources/openstack': `kit platform platform/instance platform/metadata userdata/sources/contract
    userdata/sources/detection userdata/sources/volumes`,
  'userdata/sources/volumes': 'document host platform userdata/sources/contract userdata/sources/images',
};

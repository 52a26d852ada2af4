import type { Diagnosis } from '../patterns/pattern.ts';
import { type Rule, reason, rule } from './rule.ts';

const flag = (name: string, what: string): ReturnType<Rule['diagnose']> => ({
  code: 'KubeletBadFlag',
  cause: `The kubelet exits because of its flag ${name}: ${what}.`,
});

/** The ConfigMap kubelet-config is that of every node. */
const ON_WINDOWS =
  'Start the Windows kubelet with --cgroups-per-qos=false --enforce-node-allocatable="" (as StartKubelet.ps1 of sig-windows-tools does), or patch kubeletconfiguration for Windows nodes only. Do not change the ConfigMap kubelet-config: the Linux nodes use it too.';

const config = (what: string): Omit<Diagnosis, 'evidence'> => ({
  code: 'KubeletConfigInvalid',
  cause: `The kubelet does not accept its configuration: ${what}.`,
});

/** A kubelet that does not take one of its flags. */
export const flagRules: Rule[] = [
  rule(/unknown flag: (-{1,2}[\w.-]+)/, ([, name = '']) => flag(name, 'it does not know it')),
  rule(/unknown shorthand flag: '(.)' in (-\S+)/, ([, , name = '']) => flag(name, 'it does not know it')),
  rule(/invalid argument "([^"]*)" for "([^"]*)" flag: (.*)/, ([, value, name = '', why]) =>
    flag(name.replace(/^-\w, /, ''), `"${value}" is not a valid value (${reason(why)})`),
  ),
  rule(/flag needs an argument: (\S+)/, ([, name = '']) => flag(name, 'it has no value')),
  rule(
    /unknown 'kubernetes\.io' or 'k8s\.io' labels specified with --node-labels: (\[[^\]]*\])/,
    ([, labels]) => ({
      ...flag('--node-labels', `a node may not set on itself the labels ${labels}`),
      code: 'KubeletBadFlag',
      remedy:
        'Remove the labels from node-labels; set kubernetes.io labels with Cluster API (Machine labels) or a controller.',
    }),
  ),
  rule(/bad --node-ip "([^"]*)": (.*)/, ([, value, why]) => flag('--node-ip', `"${value}": ${reason(why)}`)),
  rule(/(--(?:kube|system|qos)-reserved) value failed to parse: (.*)/, ([, name = '', why]) =>
    flag(name, reason(why)),
  ),
  rule(
    /(?:unknown|unsupported) cloud provider "?([\w-]+)|cloud provider "?([\w-]+)"? (?:was specified|is no longer|has been removed)[^"]*/i,
    ([, a, b]) =>
      flag('--cloud-provider', `it has no cloud provider ${a ?? b}; use "external" or leave it empty`),
  ),
  rule(/failed to validate kubelet flags: (?:error )?(.*)/, ([, why]) => ({
    code: 'KubeletBadFlag',
    cause: `The kubelet does not accept its flags: ${reason(why)}.`,
  })),
  rule(/(?:command failed" err="|\] )unknown command (\S+)/, ([, word]) =>
    flag(`"${word?.replace(/"$/, '')}"`, 'it is not a flag'),
  ),
];

/** One that does not take its configuration. */
export const configRules: Rule[] = [
  rule(/strict decoding error: ([^"]*(?:"[^"]*"[^"]*)?)/, ([, what]) =>
    config(reason(what?.replace(/^.*?(unknown field "[^"]*").*$/, '$1'))),
  ),
  rule(
    /(?:unrecognized feature gate: |cannot set feature gate )([\w-]+)(?: to \S+, feature is locked to (\S+))?/,
    ([, name, locked]) =>
      config(
        locked === undefined
          ? `it does not know the feature gate ${name}`
          : `the feature gate ${name} is fixed to ${locked.replace(/["\s]+$/, '')}`,
      ),
  ),
  // A pager has cut off which.
  rule(/failed to set feature gates from initial\b[^:]*[>…]$/, () =>
    config('one of its feature gates is unknown or cannot be set'),
  ),
  rule(/failed to load kubelet drop-?in file, path: (\S+?),? (?:error: )?(.*)/, ([, path, why]) =>
    config(`${path}: ${reason(why)}`),
  ),
  rule(/failed to walk through kubelet dropin directory "([^"]*)": (.*)/, ([, path, why]) =>
    config(`its drop-in directory ${path} cannot be read: ${reason(why?.replace(/^lstat \S+: /, ''))}`),
  ),
  rule(
    /failed to merge kubelet configs: (?:failed to unmarshal merged JSON into kubelet configuration: )?(.*)/,
    ([, why]) => config(`it cannot be read with its drop-in files: ${reason(why)}`),
  ),
  rule(/invalid Node Allocatable configuration\. Resource "([^"]+)" has a reservation/, ([, what]) => ({
    ...config(`it reserves more ${what} (kube-reserved, system-reserved, eviction) than the machine has`),
    remedy:
      'Choose a larger machine type, or lower kubeReserved, systemReserved and evictionHard in the KubeletConfiguration.',
  })),
  rule(/kubelet config file "([^"]*)" was empty/, ([, path]) => ({
    ...config(`${path} is empty`),
    ...(path === '/var/lib/kubelet/config.yaml'
      ? {
          remedy:
            'kubeadm writes that file: find out what emptied it (a full disk, a power loss). On a node, kubeadm upgrade node phase kubelet-config writes it again.',
        }
      : {}),
  })),
  rule(
    /failed to validate kubelet configuration, error: (?:invalid configuration: )?(.*?)(?:, path: .*)?$/,
    ([, what = '']) => ({
      ...config(reason(what.replace(/^\[|\]$/g, ''))),
      ...(/not supported on Windows/.test(what) ? { remedy: ON_WINDOWS } : {}),
    }),
  ),
  rule(/failed to run [Kk]ubelet: invalid configuration: (cgroups-per-qos .*)/, ([, what]) =>
    config(reason(what)),
  ),
  // 1.22 and 1.23 have it as a message of its own.
  rule(
    /"Failed to validate kubelet configuration(?: file)?" err="(?:invalid configuration: )?(.*)/,
    ([, what]) => config(reason(what?.replace(/^\[|\]$/g, ''))),
  ),
  rule(/swap feature is enabled and LimitedSwap but it is only supported with cgroupv2/, () =>
    config('swapBehavior LimitedSwap needs cgroup v2'),
  ),
  rule(
    /(?:failed to (?:load|decode|read) [^:]{0,40}?kubelet config(?:(?!kubelet config).)*?(?:, error)?|failed to decode): (?!open |error: |failed |error failed )((?:error converting|error unmarshal|yaml|json|no kind|couldn't|parsing|quantities|[^":]*cannot unmarshal).*)/i,
    ([, what]) => config(reason(what)),
  ),
  rule(/initialize logging: (.*)/, ([, what]) => config(reason(what))),
  rule(
    /(Cipher suite \S+ not supported[^"]*|unknown tls version "?\w+"?|invalid eviction threshold[^"]*|topology manager policy options [^"]*|reserved-cpus: [^"]*|unable to parse reserved-cpus list: .*)/i,
    ([, what]) => config(reason(what)),
  ),
  rule(/listen tcp\d?:? ?(\S*?): (?:bind: cannot assign requested address|lookup [^"]*)/, ([what]) =>
    config(`it cannot listen there: ${reason(what)}`),
  ),
];

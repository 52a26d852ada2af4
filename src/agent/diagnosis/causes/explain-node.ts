/** Explains a failure by what runs on this machine, and what does not. */

import type { Evidence, UnitState } from '../evidence/evidence.ts';
import type { Diagnosis } from '../patterns/pattern.ts';
import type { KubeadmFailure } from '../words/classify.ts';
import { explainApiServer } from './explain-discovery.ts';
import { explainKubeletEnd, explainKubeletRun } from './explain-kubelet.ts';
import { explainCrashLoop, explainStaticPods, explainWaitForEtcd } from './explain-static-pods.ts';
import { readRuntimeLog } from './runtime-log.ts';

/** Less than this is as good as nothing: the kubelet itself stops working before it. */
const DISK_LEFT = 32 * 1024 * 1024;

const waiting = (evidence: Evidence): Diagnosis | undefined =>
  explainWaitForEtcd(evidence) ?? explainCrashLoop(evidence);

type Explain = (base: KubeadmFailure, evidence: Evidence) => Diagnosis | undefined;

/** Each causes the ones behind it. */
const CHAIN: readonly Explain[] = [
  (_, evidence) => diskFull(evidence),
  (base, evidence) => notInstalled(base, evidence),
  (_, evidence) => runtimeDown(evidence),
  (base, evidence) => (concernsKubelet(base) ? kubeletEnd(base, evidence) : undefined),
  (_, evidence) => explainStaticPods(evidence),
  (base, evidence) => (concernsKubelet(base) ? explainKubeletRun(base.code, evidence) : undefined),
  (base, evidence) => (base.code === 'ControlPlaneNotReady' ? waiting(evidence) : undefined),
  (_, evidence) => outOfMemory(evidence),
  (base, evidence) => (waitsForApiServer(base) ? explainApiServer(base, evidence) : undefined),
];

export function explainNode(base: KubeadmFailure, evidence: Evidence): Diagnosis | undefined {
  if (base.code === 'PortInUse') return portInUse(base, evidence);
  const chain = base.code.startsWith('ContainerRuntime') ? CHAIN.slice(0, 3) : CHAIN;
  for (const explain of chain) {
    const found = explain(base, evidence);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A runtime that kubeadm could not reach tells nothing of a kubelet that was not started yet. */
const concernsKubelet = ({ code }: KubeadmFailure): boolean => !code.startsWith('ContainerRuntime');

/** In a log that somebody collected, ends without a reason explain only a failure that says nothing more exact. */
function kubeletEnd({ code }: KubeadmFailure, evidence: Evidence): Diagnosis | undefined {
  const found = explainKubeletEnd(evidence);
  const isVague = ['KubeletUnhealthy', 'KubeadmTimedOut', 'KubeadmInterrupted'].includes(code);
  return found?.code === 'KubeletCrashing' && evidence.isCollected && !isVague ? undefined : found;
}

const waitsForApiServer = ({ code }: KubeadmFailure): boolean =>
  ['KubeletCertificateNotIssued', 'NodeNotRegistered', 'KubeadmTimedOut', 'KubeadmInterrupted'].includes(
    code,
  );

function diskFull({ disks }: Evidence): Diagnosis | undefined {
  const full = disks.find(
    ({ totalBytes, availableBytes }) => totalBytes > DISK_LEFT * 4 && availableBytes < DISK_LEFT,
  );
  return full === undefined
    ? undefined
    : {
        code: 'DiskFull',
        cause: `The file system at ${full.path} is full (${Math.floor(full.availableBytes / 1024 / 1024)} MiB left).`,
        evidence: '',
      };
}

/** The socket is that of a runtime of which this machine has no unit: nothing will ever listen there. */
function notInstalled({ facts, evidence }: KubeadmFailure, { units }: Evidence): Diagnosis | undefined {
  const asked = units.find(({ name, load }) => name === facts?.runtimeUnit && load === 'not-found');
  if (asked === undefined) return undefined;
  const other = units.find(({ name, active }) => /^(?:containerd|crio)\./.test(name) && active === 'active');
  const named = (unit: string): string => (unit.startsWith('crio') ? 'CRI-O' : 'containerd');
  return {
    code: 'ContainerRuntimeUnsuitable',
    cause: `kubeadm uses the socket of ${named(asked.name)}, which is not installed on this machine${other === undefined ? '' : `; ${named(other.name)} is running`}.`,
    remedy:
      'Set nodeRegistration.criSocket to the socket of the installed runtime, or install that runtime in the image.',
    evidence,
  };
}

/** By systemd's account, or its own last words. */
const RUNTIME_ENDED =
  /^[\w-]+\.service: (?:main process exited|Failed with result)|^(?:containerd|crio|failed to start daemon): |^failed to (?:load|unmarshal) TOML|^time="[^"]*" level=(?:fatal|panic) msg=/i;
const RUNTIME_STARTED =
  /containerd successfully booted|^Started .*(?:containerd|crio|CRI-O|docker)|API listen on/;

/** Told only when systemd knows the unit and says that it is not up; other runtimes have other units. */
export function runtimeDown({ units, runtimeLog }: Evidence): Diagnosis | undefined {
  const runtimes = units.filter(
    ({ name, load }) => /^(?:containerd|crio)\.service$/.test(name) && load !== 'not-found',
  );
  // A log that somebody collected tells only by itself whether the runtime was up.
  const isUp =
    runtimes.length === 0
      ? runtimeLog.findLastIndex((line) => RUNTIME_ENDED.test(line)) <=
        runtimeLog.findLastIndex((line) => RUNTIME_STARTED.test(line))
      : runtimes.some(({ active }) => active === 'active');
  if (isUp) return fromRunning(runtimeLog);
  const [down] = runtimes;
  const why = readRuntimeLog(runtimeLog);
  if (why !== undefined) return why;
  if (down === undefined) return undefined;
  return {
    code: 'ContainerRuntimeDown',
    cause: `The container runtime is not running: ${describe(down)}.`,
    ...(down.load === 'masked' ? { remedy: `Unmask it in the image: systemctl unmask ${down.name}.` } : {}),
    evidence: runtimeLog.at(-1) ?? '',
  };
}

/** A runtime that runs may still not serve: only its CRI plugin's own complaint counts then. */
function fromRunning(runtimeLog: string[]): Diagnosis | undefined {
  const found = readRuntimeLog(runtimeLog);
  return found?.facts?.fromCriPlugin ? found : undefined;
}

function describe({ name, load, active, sub, result, exitStatus }: UnitState): string {
  if (load === 'masked') return `${name} is masked`;
  const how = result === 'success' || result === '' ? '' : `, ${result}`;
  const status = exitStatus === 0 ? '' : `, exit status ${exitStatus}`;
  return `${name} is ${active} (${sub}${how}${status})`;
}

function outOfMemory({ outOfMemory: lines }: Evidence): Diagnosis | undefined {
  const last = lines.at(-1);
  if (last === undefined) return undefined;
  const program = /\((\S{1,64}?)\)/.exec(last)?.[1];
  return {
    code: 'OutOfMemory',
    cause: `The kernel killed ${program === undefined ? 'a process' : program} because the machine ran out of memory.`,
    evidence: last,
  };
}

/** With the program that listens at the port that is in use, where it is still there. */
export function withHolder(found: Diagnosis, { listeners }: Pick<Evidence, 'listeners'>): Diagnosis {
  const holder = listeners.find(({ port }) => port === found.facts?.port);
  return found.code !== 'PortInUse' || holder === undefined
    ? found
    : { ...found, cause: `${found.cause} ${holder.program} listens there.` };
}

function portInUse(base: KubeadmFailure, { listeners }: Evidence): Diagnosis | undefined {
  const { port, ports = [], also = '' } = base.facts ?? {};
  const all = [...(port === undefined ? [] : [port]), ...ports].map((number) => ({
    number,
    holder: listeners.find((listener) => listener.port === number)?.program,
  }));
  if (all.every(({ holder }) => holder === undefined)) return undefined;
  const said = all.map(
    ({ number, holder }) => `Port ${number} is in use${holder === undefined ? '' : ` by ${holder}`}.`,
  );
  return {
    code: 'PortInUse',
    cause: `${said.join(' ')}${also}`,
    remedy: base.remedy,
    persistence: base.persistence,
    evidence: base.evidence,
  };
}

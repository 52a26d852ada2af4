/** Explains by the kubelet's own log and systemd's account of it. */
import type { Code } from '../../../protocol/codes/codes.ts';
import type { Evidence, UnitState } from '../evidence/evidence.ts';
import type { Diagnosis } from '../patterns/pattern.ts';
import {
  ANONYMOUS,
  CUT_REGISTRATION,
  HEALTH_PORT,
  KUBELET_CONTAINER_RULES,
  KUBELET_IMAGE_RULES,
  KUBELET_NODE_RULES,
  KUBELET_POD_RULES,
  KUBELET_REFUSED_RULES,
  SANDBOX_PULL,
} from './kubelet-run.ts';
import { KUBELET_ENDED, ORDER } from './kubelet-signs.ts';
import { EXPIRED, KUBELET_START_RULES, kubeletLastWords, UNMASK_KUBELET } from './kubelet-start.ts';
import { lastKnown, type Rule } from './rule.ts';

/** A kubelet's own last words, where systemd's account is not in the log. */
const FATAL =
  /^F\d{4} |(?:run\.go:\d+\] |^)"command failed"|"Updating kernel flag failed \(Hint|"?[Ff]ailed to run [Kk]ubelet|"?Failed to start (?:ContainerManager|cAdvisor)|inotify_init: too many open files|"Failed to create an oomWatcher(?! \(running in UserNS, ignoring)|^failed to (?:validate|load) kubelet (?:config|flags)|^kubelet is configured to not run on a host|^(?:\w{0,7} )?flag" err="unknown flag: |server\.go:\d+\] "Failed to (?:parse kubelet|set feature|validate kubelet|load kubelet|construct kubelet)|^panic: |failed to parse kubelet flag: |^(?:Kubelet: misconfiguration: )?kubelet cgroup driver: /;
/** A packaged kubelet ends like that until kubeadm writes its configuration. */
const NOT_CONFIGURED = /kubelet\/config\.yaml.*no such file or directory/;
/** systemd's own status for a program that it could not start. */
const NOT_EXECUTED = /^kubelet\.service: main process exited, code=exited, status=203\/EXEC/i;
/** No kubelet ends for what it only warns of or remarks. */
const WARNS = /^[IW]\d{4} /;
/** It has its Node. */
const REGISTERED = /Successfully registered node/;
/** It came up after all. */
const CAME_UP = /Successfully registered node|"Started kubelet"|Starting to sync pods with apiserver/;

/** It has a certificate, or has got a new one. */
const RENEWED =
  /Using bootstrap kubeconfig to generate|Rotating certificates|Starting to sync pods|Attempting to register node/;

/** A certificate that has expired means nothing where it was renewed behind that. */
function withoutRenewed(lines: string[]): string[] {
  const renewed = lines.findLastIndex((line) => RENEWED.test(line));
  return renewed < 0
    ? lines
    : lines.filter((line, at) => at > renewed || lastKnown([EXPIRED], [line]) === undefined);
}

/** What it complained of before has passed. */
const sinceRegistered = (lines: string[]): string[] =>
  lines.slice(lines.findLastIndex((line) => REGISTERED.test(line)) + 1);

/** kubeadm's own static pods, as the kubelet names them: with their UID in one word, or as a field. */
const OF_STATIC_POD = new RegExp(
  `\\b(?:${ORDER.join('|')})-[^\\s"_(]{1,253}_kube-system\\(|pod="kube-system/(?:${ORDER.join('|')})-`,
);

const hasSandbox = (line: string): boolean => /RunPodSandbox for .* returns sandbox id/.test(line);

/** Why no pod starts, by the runtime's own account. */
export const explainSandbox = (runtimeLog: readonly string[]): Diagnosis | undefined =>
  lastKnown([SANDBOX_PULL, ...KUBELET_POD_RULES], runtimeLog.slice(runtimeLog.findLastIndex(hasSandbox) + 1));

const ENOUGH_COMPLAINTS = 3;
const EXCERPT_LINES = 8;

/** How often it ended, by its own account or systemd's. */
export function countKubeletEnds(lines: readonly string[]): number {
  const ended = lines.filter((line) => KUBELET_ENDED.test(line)).length;
  return ended > 0 ? ended : lines.filter((line) => FATAL.test(line)).length;
}

/**
 * Where nothing of kubeadm is in a log: why the kubelet ended last, or what it complained of again and again, and did not
 * come right.
 *
 * @param isAlone Its journal is all there is. Among other programs' lines, one that waits for kubeadm's configuration
 *   means nothing.
 */
export function explainLoneKubelet(evidence: Evidence, isAlone: boolean): Diagnosis | undefined {
  const kubeletLog = withoutRenewed(evidence.kubeletLog);
  const since = sinceRegistered(kubeletLog);
  const configured = since.filter((line) => !NOT_CONFIGURED.test(line));
  for (const log of isAlone ? [configured, since] : [configured]) {
    const found = countKubeletEnds(log) > 0 ? explainKubeletEnd({ ...evidence, kubeletLog: log }) : undefined;
    // Ends without a reason are those for lack of the configuration.
    const isReason = found?.code !== 'KubeletCrashing' || log.length === since.length;
    if (found !== undefined && isReason) return found;
  }
  // A person has chosen the lines of an excerpt; in a whole journal, a single complaint may have passed again.
  const enough = since.length > EXCERPT_LINES ? ENOUGH_COMPLAINTS : 1;
  // Without sandboxes there is no API server to register with.
  const named = since.filter((line) => OF_STATIC_POD.test(line));
  // Of one failure the kubelet tells three times, and names the pod at the end of a line, which terminals cut off.
  const ofStaticPods =
    since.length <= EXCERPT_LINES && named.some((line) => /CreatePodSandbox/.test(line)) ? since : named;
  const all: [rules: readonly Rule[], lines: readonly string[]][] = [
    [[EXPIRED], since],
    [KUBELET_POD_RULES, since],
    // Of the pods whose names no workload has.
    [KUBELET_CONTAINER_RULES, ofStaticPods],
    [KUBELET_NODE_RULES, since],
    [[CUT_REGISTRATION, ANONYMOUS], since],
  ];
  for (const [rules, lines] of all) {
    const complaints = lines.filter((line) => lastKnown(rules, [line]) !== undefined);
    if (complaints.length >= enough) return lastKnown(rules, complaints);
  }
  return undefined;
}

/** Why the kubelet ended, when it did; undefined for a kubelet that runs or of which nothing is known. */
export function explainKubeletEnd({ kubeletLog: all, units, isCollected }: Evidence): Diagnosis | undefined {
  const kubeletLog = withoutRenewed(sinceConfigured(all));
  const unit = units.find(({ name }) => name === 'kubelet.service');
  const crashes = countKubeletEnds(kubeletLog);
  if (unit?.load === 'not-found' || unit?.load === 'masked') {
    return {
      code: 'KubeletNotStarted',
      cause: unit.load === 'masked' ? 'kubelet.service is masked.' : 'This machine has no kubelet.service.',
      ...(unit.load === 'masked' ? { remedy: UNMASK_KUBELET } : {}),
      evidence: '',
    };
  }
  if (unit === undefined ? crashes === 0 || cameUp(kubeletLog) : isUp(unit) && crashes < 3) return undefined;
  // Without a certificate it ends for what a kubelet that has one only complains of.
  const ends = kubeletLog.filter((line) => FATAL.test(line));
  const known =
    lastKnown(
      KUBELET_START_RULES,
      kubeletLog.filter((line) => !WARNS.test(line)),
    ) ?? lastKnown(KUBELET_NODE_RULES, ends);
  if (known?.code === 'KubeletFileMissing' && /bootstrap kubeconfig/.test(known.evidence))
    return lastKnown([EXPIRED], kubeletLog) ?? known;
  if (known !== undefined) return known;
  if (crashes === 0 && (unit?.restarts ?? 0) < 2) return stopped(unit);
  const unstartable = kubeletLog.findLast((line) => NOT_EXECUTED.test(line));
  if (unstartable !== undefined) {
    return {
      code: 'KubeletNotStarted',
      cause: 'systemd cannot start the kubelet: its executable is not where kubelet.service expects it.',
      evidence: unstartable,
    };
  }
  const words = kubeletLastWords(kubeletLog);
  // Where a log is all there is, a few ends without a reason explain nothing: the kubelet may have come up late.
  if (isCollected && words === undefined && crashes < 3) return undefined;
  const times = Math.max(crashes, unit?.restarts ?? 0);
  return {
    code: 'KubeletCrashing',
    cause: `The kubelet exited ${times === 1 ? 'once' : `${times} times`}${words === undefined ? '' : `; it reports: ${words}`}.`,
    evidence: words ?? kubeletLog.findLast((line) => KUBELET_ENDED.test(line)) ?? '',
  };
}

function cameUp(lines: readonly string[]): boolean {
  const ended = lines.findLastIndex((line) => KUBELET_ENDED.test(line) || FATAL.test(line));
  return lines.slice(ended + 1).some((line) => CAME_UP.test(line));
}

const withoutHead = (line: string): string => line.replace(/^[IWEF]\d{4} \S+ +\d+ /, '');

/** Until kubeadm writes its configuration a kubelet ends for lack of it; nothing of that time explains anything later. */
function sinceConfigured(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => NOT_CONFIGURED.test(line));
  const end = lines.findIndex((line, index) => index > last && KUBELET_ENDED.test(line));
  const later = last < 0 ? lines : lines.slice(end < 0 ? last + 1 : end + 1);
  // What was cut off says nothing: behind its date, or within that reason.
  const reasons = last < 0 ? [] : [withoutHead(lines[last] ?? '')];
  const says = (line: string): boolean =>
    /[a-z]{4}/i.test(line) &&
    !/^kubelet\.service|^(?:Started|Stopped|Stopping) /.test(line) &&
    !reasons.some((whole) => whole.startsWith(withoutHead(line)));
  return later.some(says) ? later : lines;
}

const isUp = ({ active, sub }: UnitState): boolean => active === 'active' && sub === 'running';

function stopped(unit: UnitState | undefined): Diagnosis | undefined {
  if (unit === undefined || unit.active !== 'inactive') return undefined;
  return {
    code: 'KubeletNotStarted',
    cause:
      'The kubelet is not running: kubelet.service is inactive, so it was never started or something stopped it.',
    remedy:
      'Check journalctl -u kubelet for what stopped it, and start it again (systemctl start kubelet). Nothing is missing from the image.',
    evidence: '',
    persistence: 'until-deadline',
  };
}

/** What a kubelet that runs complains of, as far as it explains `code`. */
export function explainKubeletRun(code: Code, { kubeletLog, runtimeLog }: Evidence): Diagnosis | undefined {
  const containers = (): Diagnosis | undefined => {
    const image = lastKnown(KUBELET_IMAGE_RULES, kubeletLog);
    return image ?? lastKnown(KUBELET_CONTAINER_RULES, kubeletLog) ?? explainSandbox(runtimeLog);
  };
  const node = (): Diagnosis | undefined => lastKnown(KUBELET_NODE_RULES, kubeletLog);
  switch (code) {
    case 'KubeletCertificateNotIssued':
    case 'NodeNotRegistered':
      return node();
    case 'ControlPlaneNotReady':
    case 'EtcdUnhealthy':
    case 'EtcdLearnerNotReady':
    case 'EtcdMemberNotAdded':
      return containers();
    case 'KubeletUnhealthy':
      // Up to 1.20 it does not tell its health before it has its Node, and ends for lack of it after half a minute.
      return (
        lastKnown([HEALTH_PORT], kubeletLog) ?? lastKnown(KUBELET_REFUSED_RULES, sinceRegistered(kubeletLog))
      );
    case 'KubeadmTimedOut':
      return containers() ?? node() ?? lastKnown([HEALTH_PORT], kubeletLog);
    default:
      return undefined;
  }
}

/** The container runtime: texts of crictl (up to 1.30) and of kubeadm's own CRI client (from 1.31 on). */
import { type Diagnosis, inError, type Pattern, shorten } from './pattern.ts';

/** Runtimes by the words of their sockets, and how to look at them. */
const RUNTIMES: [words: RegExp, name: string, unit: string][] = [
  [/cri-dockerd|cri-docker/, 'cri-dockerd', 'cri-docker'],
  [/\bcrio\b|cri-o/i, 'CRI-O', 'crio'],
  [/dockershim|docker\.sock|[Dd]ocker daemon/, 'Docker', 'docker'],
];

const DENIED = /\.sock\b"?: (?:connect: )?permission denied/;

/** The table's remedies are containerd's. */
function remedyFor(
  text: string,
  code: 'ContainerRuntimeDown' | 'ContainerRuntimeUnsuitable',
): { remedy?: string } {
  if (code === 'ContainerRuntimeDown' && DENIED.test(text))
    return {
      remedy:
        'kubeadm and the kubelet must run as root. If they do, check the owner and mode of the socket, and check for SELinux or AppArmor denials (ausearch -m avc -ts recent). The runtime itself may be fine.',
    };
  const found = RUNTIMES.find(([words]) => words.test(text));
  if (found === undefined) return {};
  const [, name, unit] = found;
  return {
    remedy:
      code === 'ContainerRuntimeDown'
        ? `Check systemctl status ${unit} and journalctl -u ${unit}; check nodeRegistration.criSocket.`
        : `Use a version of ${name} that offers the CRI v1 interface, or set nodeRegistration.criSocket to another runtime's socket.`,
  };
}

/** @param who Asked the runtime. */
export function diagnoseRuntime(text: string, who = 'kubeadm'): Omit<Diagnosis, 'evidence'> {
  const found = diagnosedRuntime(text, who);
  return found.code === 'ContainerRuntimeDown' || found.code === 'ContainerRuntimeUnsuitable'
    ? { ...found, ...remedyFor(text, found.code) }
    : found;
}

/** It was not reached, whatever crictl concludes from that. */
const NO_ANSWER =
  /code = (?:Unavailable|DeadlineExceeded)|connect: |no such file or directory|connection (?:refused|error)|deadline exceeded|permission denied|timed? ?out|\bEOF\b/i;
/** crictl's or the CRI client's own words for what it could not do. */
const WORDS = /level=fatal msg="((?:[^"\\]|\\.)*)"/;

/** What it answered, where kubeadm asks by itself. */
const ANSWER = /failed to get runtime status: rpc error: code = \w+ desc = ([^\n]+)/;

/** It answers, and says of itself that it is not ready. */
const NOT_READY = /container runtime condition "(\w+)" is not true\. reason: (.*?), message: ([^\n]*)/;

/** It answers that it was kept from something of its own. */
export const KEPT_FROM = /(?:desc = |error=")\w+ (\/(?!\S{0,400}\.sock)[^\s"]{1,400}): permission denied/;

function diagnosedRuntime(text: string, who: string): Omit<Diagnosis, 'evidence'> {
  const kept = KEPT_FROM.exec(text);
  if (kept !== null) return keptFrom(kept[1]);
  const unready = NOT_READY.exec(text);
  if (unready !== null) {
    const [, condition, why = '', message = ''] = unready;
    const words = [why, message].filter((part) => part.trim() !== '').join(': ');
    return {
      code: 'ContainerRuntimeDown',
      cause: `The container runtime reports that it is not ready (${condition}${words === '' ? '' : `: ${shorten(words, 160)}`}).`,
    };
  }
  const isSilent = NO_ANSWER.test(text) && !/unknown service runtime|code = Unimplemented/i.test(text);
  const words = (WORDS.exec(text) ?? ANSWER.exec(text))?.[1];
  if (!isSilent && /unknown service runtime|code = Unimplemented|API is not implemented/i.test(text)) {
    return {
      code: 'ContainerRuntimeUnsuitable',
      cause: 'The container runtime answers but does not offer the CRI v1 interface.',
    };
  }
  if (/Cannot connect to the Docker daemon/.test(text)) {
    const at = /daemon at (\S+?)\.?\s/.exec(text)?.[1];
    return {
      code: 'ContainerRuntimeDown',
      cause: `Docker does not answer${at === undefined ? '' : ` at ${at}`}.`,
    };
  }
  if (!isSilent && words !== undefined && !words.endsWith('>')) {
    return {
      code: 'PreflightFailed',
      cause: `${who} could not find out whether the container runtime is running: ${shorten(words, 160)}.`,
      remedy: 'Run crictl info on the machine: it shows the same error. The runtime itself may be fine.',
    };
  }
  const socket = /(?:unix|npipe):\/\/[^\s'",]*[^\s'",\\]/.exec(text)?.[0];
  const reason =
    /(no such file or directory|connection refused|context deadline exceeded|permission denied|DeadlineExceeded)/.exec(
      text,
    )?.[1] ?? '';
  const at = socket === undefined ? '' : ` at ${socket}`;
  const unit = /\/crio\.sock$/.test(socket ?? '')
    ? 'crio.service'
    : /\/containerd\.sock$/.test(socket ?? '')
      ? 'containerd.service'
      : undefined;
  // A sentence that was cut off does not say whether the runtime answered.
  return {
    code: 'ContainerRuntimeDown',
    ...(unit !== undefined && reason.startsWith('no such') ? { facts: { runtimeUnit: unit } } : {}),
    cause: isSilent
      ? `The container runtime${at} does not answer${reason === '' ? '' : `: ${reason}`}.`
      : `${who} could not connect to the container runtime${at}.`,
  };
}

export const keptFrom = (path: string | undefined): Omit<Diagnosis, 'evidence'> => ({
  code: 'FileAccessDenied',
  cause: `The container runtime cannot read ${path} (permission denied), so it does not report its status.`,
  remedy:
    'Check for SELinux or AppArmor denials (ausearch -m avc -ts recent, journalctl -k), for an AppArmor profile on its unit, and for a /proc mounted with hidepid.',
});

/** 1.31 and newer connect before the named checks begin, so there is no `[ERROR CRI]` block. */
const notConnected: Pattern = inError(
  /(?:failed to create new CRI (?:runtime|image) service|container runtime is not running|could not connect to the container runtime)[^\n]*/,
  (match) => diagnoseRuntime(match[0]),
);

/** Without what somebody has written behind them. */
const socketsIn = (said: string): string =>
  /^[^\s,]+(?:, ?[^\s,]+)*/
    .exec(said.replace(/^.*config(?:uration)? file: ?/, ''))?.[0]
    .replace(/\*\*$/, '') ?? said;

const severalSockets: Pattern = inError(
  /[Ff]ound multiple CRI (?:sockets|endpoints)(?:[^\n]*?: ([^\n]*))?/,
  (match) => ({
    code: 'ContainerRuntimeUnsuitable',
    cause: `There are several container runtimes on this machine${match[1] === undefined ? '' : `: ${shorten(socketsIn(match[1]), 160)}`}.`,
    remedy: 'Set nodeRegistration.criSocket to the one to use.',
  }),
);

const toolMissing: Pattern = inError(
  /(crictl|docker) is required (?:by|for) (?:the )?container runtime: [^\n]*not found/,
  (match) => ({
    code: 'ProgramMissing',
    cause: `${match[1]} is not installed, and this kubeadm requires it.`,
  }),
);

const socket: Pattern = inError(
  /dial unix (\S*(?:containerd|crio|cri-dockerd|docker)\S*?\.sock): connect: ([^\n"]*)/,
  (match) => ({
    code: 'ContainerRuntimeDown',
    cause: `The container runtime at unix://${match[1]} does not answer: ${shorten(match[2] ?? '', 80)}.`,
    ...remedyFor(match[0], 'ContainerRuntimeDown'),
  }),
);

/** What it asks the runtime itself, where the rest of the sentence is cut off. */
const asked: Pattern = inError(
  /(?:could not get (?:the )?cgroup driver|failed to get runtime status)[^\n]*/,
  (match) => diagnoseRuntime(match[0]),
);

export const runtimePatterns: Pattern[] = [toolMissing, notConnected, severalSockets, socket, asked];

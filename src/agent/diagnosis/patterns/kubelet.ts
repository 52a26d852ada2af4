/**
 * The kubelet: not healthy, or healthy without a certificate. kubeadm's last line is the same for both up to 1.29
 * ("timed out waiting for the condition"); the kubelet-check lines on stdout tell them apart.
 */
import { isBareError } from './output.ts';
import { inError, type Pattern, type PatternInput, shorten } from './pattern.ts';

const HEALTH_CALL =
  /The HTTP call equal to 'curl -sSL (\S+?)' (?:\w*ailed with error: ([^\n]*)|returned HTTP code (\d+)[^\n]*|returned (?:error: ([^\n]*)|status code: (\d+)))/;

const REFUSED = /connection refused|actively refused/;
const CUT = /failed with error: Get "?http[^"\s]*$/m;

/** Up to 1.29 it tells each call that failed, from then on only the one with which it gives up. */
const isLastCall = (error: string): boolean =>
  REFUSED.test(error) || CUT.test(error) || /^The HTTP call .* returned error: /m.test(error);

const inPhase =
  (expression: RegExp) =>
  ({ output }: PatternInput): boolean =>
    expression.test(output.phase ?? '');

const waitsForKubelet = inPhase(/^(kubelet-start|kubelet-wait-bootstrap|wait-control-plane)$/);

const DECLARED = /(?:\[kubelet-check\] |^[ \t]*)The kubelet is not healthy after (\S+)/m;
/** A call to its port follows, which may be cut off. */
const SEEMS = /^[ \t]*\[kubelet-check\] It seems like the kubelet isn't running or healthy/m;
/** kubeadm only warns of it, and goes on. */
const UNSTARTED =
  /\[WARNING Service-[Kk]ubelet\]: kubelet service does not exist|Couldn't detect a kubelet service, can't make sure the kubelet is running properly/;
/** The reason is cut off. */
const NO_REASON = /error execution phase [\w/-]+:?\s*$/;
const GAVE_UP = /^Unfortunately, an error has occurred/m;

const gaveUp =
  /timed out waiting for the condition|context deadline exceeded|couldn't initialize a Kubernetes cluster|The HTTP call equal to|kubelet is not healthy|could not initialize a Kubernetes cluster|failed while waiting for the kubelet to start|failed while waiting for (?:the )?control plane/;

const unhealthy: Pattern = (input) => {
  const { output } = input;
  const saidSo = /failed while waiting for the kubelet to start[^\n]*/.exec(output.error);
  const gaveUpWaiting = waitsForKubelet(input) || GAVE_UP.test(output.stdout);
  const declared = DECLARED.exec(`${output.stdout}\n${output.error}`);
  // The last call before kubeadm gave up counts.
  const calls = [...`${output.stdout}\n${output.error}`.matchAll(new RegExp(HEALTH_CALL, 'g'))];
  const call = calls.at(-1);
  const isBare = (declared !== null || isLastCall(output.error)) && isBareError(output);
  const saysWhat = gaveUp.test(output.error) || (waitsForKubelet(input) && NO_REASON.test(output.error));
  if (saidSo === null && !isBare && (!gaveUpWaiting || !saysWhat)) return undefined;
  const healthy = /\[kubelet-check\] The kubelet is healthy after/.test(output.stdout);
  const says = call !== undefined || declared !== null || SEEMS.test(output.stdout);
  if (saidSo === null && (healthy || !says)) return undefined;
  const [, url = '', error, status, error2, status2] = call ?? [];
  // Somebody has put what kubeadm advises behind it.
  const reason = (error ?? error2)?.replace(/ - The kubelet is .*| ?<\/[a-z]+>.*/, '');
  const refused = REFUSED.test(reason ?? saidSo?.[0] ?? '');
  const unstarted = refused ? UNSTARTED.exec(`${output.stdout}\n${output.stderr}`) : null;
  if (unstarted !== null) {
    const cause = 'The kubelet is not running: kubeadm found no kubelet service.';
    return { code: 'KubeletNotStarted', cause, evidence: shorten(unstarted[0], 240) };
  }
  const cause = refused
    ? `The kubelet is not running: nothing answers at ${url === '' ? 'its health port' : url}.`
    : `The kubelet is not healthy${url === '' ? '' : ` at ${url}`}: ${
        reason !== undefined
          ? /^Get "?http[^"\s]*$/.test(reason)
            ? 'the reason is cut off'
            : shorten(reason, 120)
          : (status ?? status2) === undefined
            ? `no answer${declared === null ? '' : ` after ${declared[1]}`}`
            : `HTTP status ${status ?? status2}`
      }.`;
  const warnedOfSwap = refused && output.warnings.some(({ name }) => name === 'Swap');
  return {
    code: 'KubeletUnhealthy',
    cause,
    ...(warnedOfSwap ? { facts: { warnedOfSwap } } : {}),
    evidence: shorten(call?.[0] ?? declared?.[0] ?? saidSo?.[0] ?? '', 240),
  };
};

/** The last step before the phase's name is cut off. */
const LAST_STEP =
  /^\[kubelet-start\] Waiting for the kubelet to perform the TLS Bootstrap.*(?:\n(?!\[(?!kubelet-check\])[\w/-]+\] ).*)*$/m;

const endsIn = (step: RegExp, stdout: string): boolean => {
  const match = step.exec(stdout);
  return match !== null && match.index + match[0].length === stdout.length;
};

/** No call was refused, and still no certificate came: the CSR was not signed. */
const noCertificate: Pattern = inError(
  /timed out waiting for the condition|context deadline exceeded/,
  () => ({
    code: 'KubeletCertificateNotIssued',
    cause: "The kubelet's certificate signing request was not signed in time.",
  }),
  ({ output }) =>
    (/^(kubelet-start|kubelet-wait-bootstrap)$/.test(output.phase ?? '') ||
      (output.phase === undefined && isBareError(output) && endsIn(LAST_STEP, output.stdout))) &&
    /Waiting for the kubelet to perform the TLS Bootstrap|failed while waiting for TLS bootstrap/.test(
      `${output.stdout}\n${output.error}`,
    ) &&
    !/CRISocket|crisocket/i.test(output.error),
);

function remedyForSetUp(said: string): { remedy?: string } {
  if (/writ(?:e|ing)|save/.test(said))
    return {
      remedy: 'Find out why that file cannot be written: check its file system, free space and permissions.',
    };
  if (/(?:start|stop|restart) the kubelet/.test(said))
    return {
      remedy:
        'Check systemctl status kubelet and journalctl -u kubelet, and that its unit is in the image and not masked.',
    };
  return {};
}

const notStarted: Pattern = inError(
  /(?:failed to write kubelet configuration|error writing (?:instance )?kubelet configuration to disk|couldn't write kubelet|could not (?:start|stop|restart) the kubelet|error (?:writing|applying)[^\n]*kubelet[^\n]*|kubelet service does not exist|unable to (?:start|stop) the kubelet|couldn't save (?:bootstrap-kubelet\.conf|the CA certificate) to disk|the file "[^"]*kubelet\.conf" (?:does not|is not))[^\n]*/i,
  (match) => ({
    code: 'KubeletNotStarted',
    cause: `The kubelet could not be set up: ${shorten(match[0], 200)}.`,
    ...remedyForSetUp(match[0]),
  }),
);

/** Before etcd and network, whose words appear in the same outputs. */
export const kubeletHealthPatterns: Pattern[] = [unhealthy];
export const kubeletPatterns: Pattern[] = [notStarted, noCertificate];

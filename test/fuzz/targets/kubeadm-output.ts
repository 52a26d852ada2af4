import { verdictAsJson, verdictAsText } from '../../../src/agent/cli/text/diagnose-text.ts';
import { diagnoseLog } from '../../../src/agent/diagnosis/diagnose-log.ts';
import { LogWindow } from '../../../src/agent/diagnosis/transcript/log-window.ts';
import { classify } from '../../../src/agent/diagnosis/words/classify.ts';
import { codes } from '../../../src/protocol/codes/codes.ts';
import { filesIn, testTexts, texts } from '../corpus.ts';
import { must, type Target } from '../target.ts';

const SECRET = 'abcdef.0123456789abcdef';
const KEPT_BYTES = 256 * 1024;
const WORDS = [
  ...[
    'error execution phase preflight: ',
    '[ERROR Port-10250]: ',
    '[WARNING Swap]: ',
    '[preflight] ',
    '[init] ',
    'error: ',
  ],
  ...[
    'To see the stack trace of this error execute with --v=5 or higher',
    'context deadline exceeded',
    'connection refused',
  ],
  ...[
    'x509: certificate signed by unknown authority',
    'etcdserver: ',
    'dial tcp 10.0.0.1:6443: ',
    'timed out waiting for the condition',
  ],
  ...[
    `--token ${SECRET}`,
    `token: ${SECRET}`,
    '\tmain.main\n\t\t/a.go:1 +0x1\n',
    'I0101 00:00:00.000000       1 a.go:1] ',
    '{"level":"warn"}',
  ],
  ...[
    '"stderr": "',
    '\\n',
    '\\u000a',
    'cloud-init[1]: ',
    '2026-01-02T03:04:05Z ',
    'kubeadm join',
    'kubeadm init',
    '\x1b[31m',
    '\r',
  ],
];
const corpus = (): Buffer[] => [
  ...filesIn('src/agent/diagnosis/fixtures', '.txt'),
  ...texts(
    ...testTexts('src/agent/diagnosis').filter((text) => /error|kube/i.test(text)),
    `error execution phase preflight: couldn't use token ${SECRET}\n`,
  ),
];

/** What kubeadm printed before it ended. */
export const kubeadmOutput: Target = {
  name: 'kubeadm-output',
  dictionary: WORDS,
  corpus,
  run: (bytes) => {
    // The end of each stream is all that is kept of it.
    const text = bytes.subarray(-KEPT_BYTES).toString('utf8');
    return (['init', 'join'] as const).map((verb) => {
      const failure = classify({
        verb,
        stdout: text.slice(0, 4_000),
        stderr: text,
        exitStatus: text.length % 3,
      });
      must(Object.hasOwn(codes(), failure.code), 'every failure has a code of the table');
      mustHideSecrets(JSON.stringify(failure));
      must((failure.lines?.length ?? 0) <= 3, 'at most three lines are kept');
      return failure;
    });
  },
};

/** A log of any program, as `slipway diagnose` reads it. */
export const logs: Target = {
  name: 'logs',
  dictionary: WORDS,
  corpus,
  run: (bytes) => {
    // A small window, so that a log that is larger than it is met too.
    const window = new LogWindow(bytes.length % 2 === 0 ? undefined : 512);
    for (let at = 0; at < bytes.length; at += 300) window.push(bytes.subarray(at, at + 300));
    const { lines, extent } = window.read('a.log');
    const verdict = diagnoseLog(lines);
    const printed = verdictAsText(verdict, [extent]) + verdictAsJson(verdict, ['a.log'], [extent]);
    mustHideSecrets(printed);
    return printed;
  },
};

function mustHideSecrets(told: string): void {
  // Within a longer word it is no token.
  must(!/(?<![\w.])abcdef\.0123456789abcdef(?!\w)/.test(told), 'a bootstrap token is told to nobody');
}

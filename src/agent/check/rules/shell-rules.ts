import type { LintInput, ShellText } from '../rule/lint-input.ts';
import type { Rule, RuleMatch } from '../rule/rule.ts';
import { isCompoundKeyword, type ShellCommand } from '../shell/split-commands.ts';

/** Programs that practically never fail: nothing is lost with their status. */
const SAFE =
  /^(?:echo|printf|true|:|sleep|export|unset|set|cd|local|readonly|umask|[A-Za-z_]\w*=\S*$)(?=\s|$)/;
const FRAME_HEAD = /^(?:if|while|until|for|case|elif|else|then|do|\{|\(|function)(?=\s|$)|^[\w-]+\s*\(\)/;

function hit({ place, where, isScript, text }: ShellText, piece: ShellCommand, words: string): RuleMatch {
  const line = isScript || text.trim().includes('\n') ? `, line ${piece.line}` : '';
  return { message: `${place}${line}: ${words}`, where };
}

function inPieces(
  { shells }: LintInput,
  words: string,
  test: (
    piece: ShellCommand,
    next: ShellCommand | undefined,
    shell: ShellText,
    before: ShellCommand | undefined,
  ) => boolean,
): RuleMatch[] {
  return shells.flatMap((shell) =>
    shell.pieces.flatMap((piece, index) =>
      test(piece, shell.pieces[index + 1], shell, shell.pieces[index - 1]) ? [hit(shell, piece, words)] : [],
    ),
  );
}

export const SHELL_RULES: readonly Rule[] = [
  {
    id: 'semicolon-hides-failure',
    severity: 'warning',
    title: 'A failure before ; goes unnoticed',
    why: 'The exit status is that of the last command. A command before a semicolon can fail, and the commands that depend on it still run.',
    remedy:
      'Join the commands with &&, or make each one a separate item: Slipway reports every item that fails.',
    example: {
      wrong: 'runcmd:\n- modprobe br_netfilter; sysctl --system\n',
      right: 'runcmd:\n- modprobe br_netfilter && sysctl --system\n',
    },
    find: (seen) =>
      inPieces(seen, 'the exit status of a command before ; is lost.', (piece, next, shell, before) => {
        if (piece.next !== ';' || shell.isScript || shell.stopsAtFailure) return false;
        if (
          next === undefined ||
          isCompoundKeyword(next) ||
          isCompoundKeyword(piece) ||
          FRAME_HEAD.test(piece.text)
        )
          return false;
        return !SAFE.test(piece.text) && before?.next !== '||';
      }),
  },
  {
    id: 'failure-ignored',
    severity: 'note',
    title: 'A failure is ignored with || true',
    why: 'Slipway cannot report a failure of this command, whatever its cause.',
    remedy:
      'Test for the one condition that is allowed ([ ! -e FILE ] || COMMAND), so that other failures are reported.',
    example: {
      wrong: 'runcmd:\n- systemctl restart chronyd || true\n',
      right: 'runcmd:\n- systemctl restart chronyd\n',
    },
    find: (seen) =>
      inPieces(
        seen,
        'a failure is ignored.',
        (piece, next) => piece.next === '||' && /^(?:true|:|exit 0|\/bin\/true)$/.test(next?.text ?? ''),
      ),
  },
  {
    id: 'pipe-hides-failure',
    severity: 'warning',
    title: 'A failure before | goes unnoticed',
    why: 'The exit status of a pipeline is that of its last command. An interrupted download passes a partial file to the next command, which still succeeds.',
    remedy: 'Write to a file first and then use it, or use a bash script that begins with set -eo pipefail.',
    example: {
      wrong: 'runcmd:\n- ctr images export - registry.example/a | gzip -c >/a.gz\n',
      right: 'runcmd:\n- ctr images export /a.tar registry.example/a && gzip /a.tar\n',
    },
    find: (seen) =>
      inPieces(
        seen,
        'the exit status of a command before | is lost.',
        (piece, next, shell) =>
          piece.next === '|' &&
          next !== undefined &&
          !SAFE.test(piece.text) &&
          !isPattern(piece, next) &&
          !/^(?:cat|yes|grep|head|sort)\b/.test(piece.text) &&
          !shell.hasPipefail &&
          !isRemoteScript(piece, next),
      ),
  },
  {
    id: 'download-into-shell',
    severity: 'warning',
    title: 'A download is run without verification',
    why: 'The server decides what runs as root, and an interrupted download is run partially.',
    remedy: 'Put the program into the image. Otherwise download a file, verify its checksum, then run it.',
    example: {
      wrong: 'runcmd:\n- curl -fsSL https://get.example/install.sh | sh\n',
      right:
        'runcmd:\n- curl -fsSLo /run/i.sh https://get.example/install.sh && sha256sum -c /etc/i.sum && sh /run/i.sh\n',
    },
    find: (seen) =>
      inPieces(
        seen,
        'the download is run without verification.',
        (piece, next) => piece.next === '|' && next !== undefined && isRemoteScript(piece, next),
      ),
  },
  {
    id: 'background-hides-failure',
    severity: 'warning',
    title: 'A failure in the background goes unnoticed',
    why: 'Nothing waits for a background command: it may still be running, or may have failed, when the node joins.',
    remedy: 'Run it in the foreground, or as a systemd unit.',
    example: {
      wrong: 'runcmd:\n- /opt/agent --serve &\n',
      right: 'runcmd:\n- systemd-run --unit agent /opt/agent --serve\n',
    },
    find: (seen) =>
      inPieces(
        seen,
        'nothing waits for this command.',
        (piece) => piece.next === '&' && !isCompoundKeyword(piece),
      ),
  },
  {
    id: 'script-without-set-e',
    severity: 'warning',
    title: 'A script continues after a failed command',
    why: 'Without set -e only the exit status of the last command counts. Any command before it can fail unnoticed.',
    remedy: 'Begin the script with set -e (bash: set -euo pipefail).',
    example: {
      wrong:
        "write_files:\n- path: /opt/a.sh\n  permissions: '0755'\n  content: |\n    #!/bin/sh\n    modprobe x\n    echo done\n",
      right:
        "write_files:\n- path: /opt/a.sh\n  permissions: '0755'\n  content: |\n    #!/bin/sh\n    set -e\n    modprobe x\n    echo done\n",
    },
    find: ({ shells }) =>
      shells.flatMap((shell) => {
        const counting = shell.pieces.filter(({ text }) => !SAFE.test(text) && !DECLARES.test(text));
        if (!shell.isScript || shell.stopsAtFailure || counting.length === 0) return [];
        if (shell.pieces.length < 2) return [];
        return [{ message: `${shell.place} has no set -e.`, where: shell.where }];
      }),
  },
  {
    id: 'typographic-characters',
    severity: 'warning',
    title: 'A command has a typographic dash or space',
    why: 'A shell does not treat a long dash as an option, or a non-breaking space as a separator, so the program gets different arguments from those you see.',
    remedy: 'Retype the command with - and ordinary spaces.',
    example: {
      wrong: 'runcmd:\n- kubeadm join \u2013\u2013config /a\n',
      right: 'runcmd:\n- kubeadm join --config /a\n',
    },
    find: (seen) =>
      inPieces(seen, 'the command has a dash or space that is not ASCII.', (piece) =>
        /(?:^|\s)[\u2010-\u2015\u2212]{1,2}[a-z]|[\u00a0\u2007\u202f]/i.test(
          piece.text.replace(/"[^"]*"|'[^']*'/g, ''),
        ),
      ),
  },
  {
    id: 'reboot-in-commands',
    severity: 'warning',
    title: 'A command restarts or stops the machine',
    why: 'The commands after it do not run in this boot, and cloud-init does not run them in the next one either.',
    remedy:
      'Use power_state, which takes effect when everything is done, or restart while the image is built.',
    example: { wrong: 'runcmd:\n- reboot\n', right: 'runcmd:\n- systemctl restart kubelet\n' },
    find: (seen) =>
      inPieces(seen, 'this ends the boot.', (piece) =>
        /^(?:sudo\s+)?(?:\/\S*\/)?(?:reboot|poweroff|halt|shutdown|(?:systemctl\s+(?:-\S+\s+)*(?:reboot|poweroff|halt|kexec|soft-reboot))|init\s+[06])(?:\s|$)/.test(
          piece.text,
        ),
      ),
  },
];

const DECLARES = /^(?:#|function\b|[\w-]+\s*\(\)|[{}]|fi|done|esac|exit\b|return\b|then|else|do)/;

function isRemoteScript(piece: ShellCommand, next: ShellCommand): boolean {
  return (
    /^(?:sudo\s+)?(?:curl|wget)\b/.test(piece.text) &&
    /^(?:sudo\s+(?:-\S+\s+)*)?(?:ba|da|z)?sh\b|^python3?\b/.test(next.text)
  );
}

/** `a | b)` in `case`. */
function isPattern(piece: ShellCommand, next: ShellCommand): boolean {
  return !piece.text.includes('(') && /^[^()\s]*\)/.test(next.text);
}

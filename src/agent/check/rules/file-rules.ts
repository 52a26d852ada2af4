import type { Position } from '../../document/document.ts';
import { placeInFile } from '../../document/position.ts';
import { isSecretReference, readReference } from '../../stores/reference/reference.ts';
import type { FileText, LintInput } from '../rule/lint-input.ts';
import type { Rule, RuleMatch } from '../rule/rule.ts';

/** Modes as people write them in octal; as decimal numbers they are something else. */
const USUAL = '400 440 444 500 550 555 600 640 644 660 664 666 700 710 711 750 755 770 775 777'
  .split(' ')
  .map(Number);

interface Placed {
  path: string;
  mode: number;
  where?: Position | undefined;
}

function modes({ document }: LintInput): Placed[] {
  return [...document.files, ...(document.directories ?? [])];
}

function inFiles({ files }: LintInput, words: string, test: (file: FileText) => number): RuleMatch[] {
  return files.flatMap((file) => {
    const offset = test(file);
    if (offset < 0) return [];
    const line = file.text.slice(0, offset).split('\n').length;
    return [{ message: `${file.path}, line ${line}: ${words}`, where: placeInFile(file, line) }];
  });
}

/** Variables that cloud-init's templates have and those of other programs have not. */
const VARIABLE =
  /\{\{-? ?(?:ds[.[]|v1\.[a-z]|(?:local_hostname|instance_id|availability_zone|cloud_name|public_ssh_keys)\b)/;

export const FILE_RULES: readonly Rule[] = [
  {
    id: 'template-not-filled-in',
    severity: 'warning',
    title: 'A metadata variable is not rendered',
    why: 'Variables such as {{ ds.meta_data.local_hostname }} are rendered only in text that is marked as a template. This text is not, so the braces stay in it.',
    remedy:
      'Make "## template: jinja" the first line: above #cloud-config in cloud-config, or of the file itself in Ignition.',
    example: {
      wrong: "write_files:\n- path: /etc/name\n  content: '{{ ds.meta_data.local_hostname }}'\n",
      right:
        "## template: jinja\n#cloud-config\nwrite_files:\n- path: /etc/name\n  content: '{{ ds.meta_data.local_hostname }}'\n",
    },
    find: (seen) => [
      ...inFiles(seen, 'a metadata variable is not rendered.', ({ text }) => text.search(VARIABLE)),
      ...seen.shells.flatMap(({ place, text, where }) =>
        !place.startsWith('/') && VARIABLE.test(text)
          ? [{ message: `${place}: a metadata variable is not rendered.`, where }]
          : [],
      ),
      ...seen.document.commands.flatMap((command) =>
        command.kind === 'kubeadm' && VARIABLE.test(command.args.reveal().join(' '))
          ? [{ message: 'a metadata variable is not rendered.', where: command.where }]
          : [],
      ),
    ],
  },
  {
    id: 'mode-read-as-decimal',
    severity: 'error',
    title: 'A mode was read as a decimal number',
    why: 'YAML reads 644 without a leading zero as a decimal number, which is mode 1204; JSON, and so Ignition, has decimal numbers only.',
    remedy:
      "In cloud-config write '0644', in quotes; in Ignition write the decimal number: 420 is 0644, 493 is 0755, 384 is 0600.",
    example: {
      wrong: 'write_files:\n- {path: /a, content: x, permissions: 644}\n',
      right: "write_files:\n- {path: /a, content: x, permissions: '0644'}\n",
    },
    find: (seen) =>
      modes(seen).flatMap(({ path, mode, where }) =>
        USUAL.includes(mode)
          ? [
              {
                message: `${path} gets mode ${mode.toString(8).padStart(4, '0')}, because ${mode} is decimal.`,
                where,
                alreadyTold: `this is the decimal number ${mode},`,
              },
            ]
          : [],
      ),
  },
  {
    id: 'writable-by-everybody',
    severity: 'warning',
    title: 'World-writable file',
    why: 'Any process on the machine can change what root reads or runs.',
    remedy: "Remove the write permission for others: '0644' or '0755'.",
    example: {
      wrong: "write_files:\n- {path: /a, content: x, permissions: '0666'}\n",
      right: "write_files:\n- {path: /a, content: x, permissions: '0644'}\n",
    },
    find: (seen) =>
      modes(seen).flatMap(({ path, mode, where }) =>
        (mode & 0o002) !== 0 && (mode & 0o1000) === 0 && !USUAL.includes(mode)
          ? [{ message: `${path} is world-writable.`, where }]
          : [],
      ),
  },
  {
    id: 'script-with-crlf',
    severity: 'error',
    title: 'A script has Windows line endings',
    why: 'The kernel looks for an interpreter whose name ends with a carriage return and reports "no such file or directory".',
    remedy: 'Convert the file to Unix line endings (dos2unix) before encoding it.',
    example: {
      wrong: 'write_files:\n- path: /a.sh\n  encoding: b64\n  content: IyEvYmluL3NoDQplY2hvIHgNCg==\n',
      right: 'write_files:\n- path: /a.sh\n  encoding: b64\n  content: IyEvYmluL3NoCmVjaG8geAo=\n',
    },
    find: (seen) =>
      inFiles(seen, 'a carriage return keeps the kernel from finding the interpreter.', ({ text }) =>
        /^#![^\n]*\r\n/.test(text) ? 0 : -1,
      ),
  },
  {
    id: 'line-ends-of-windows',
    severity: 'note',
    title: 'The user data has Windows line endings',
    why: 'They do no harm in YAML, but may break a script in a MIME multipart, or text that a provider concatenates.',
    remedy: 'Save the file with Unix line endings.',
    example: { wrong: 'runcmd:\r\n- ls\r\n', right: 'runcmd:\n- ls\n' },
    find: ({ raw }) => {
      const at = raw.includes(0) ? -1 : raw.indexOf('\r\n');
      const isMail = /mime-version:/i.test(raw.subarray(0, 4096).toString('latin1'));
      if (at === -1 || isMail) return [];
      const line = raw.subarray(0, at).toString('latin1').split('\n').length;
      return [{ message: 'lines end with a carriage return.', where: { line, column: 1 } }];
    },
  },
  {
    id: 'tab-in-yaml-file',
    severity: 'warning',
    title: 'A written YAML file is indented with tabs',
    why: 'YAML allows only spaces there. The program that reads the file (kubeadm, the kubelet, containerd) rejects it, long after the machine has booted.',
    remedy: 'Indent with spaces.',
    example: {
      wrong: 'write_files:\n- path: /a.yaml\n  content: "a:\\n\\tb: 1\\n"\n',
      right: 'write_files:\n- path: /a.yaml\n  content: "a:\\n  b: 1\\n"\n',
    },
    find: (seen) =>
      inFiles(seen, 'a tab indents this line.', ({ path, text }) =>
        /\.ya?ml$/.test(path) ? text.search(/^ *\t+ *[\w-]+:/m) : -1,
      ),
  },
  {
    id: 'remote-content-without-hash',
    severity: 'warning',
    title: 'Content is fetched without a hash',
    why: 'Anyone who controls the server decides what the machine gets; over http:, so does anyone on the network path.',
    remedy:
      'Add its hash (sha512-... or sha256-...) as verification.hash in Ignition or source.hash in cloud-config.',
    example: {
      wrong: IGNITION(''),
      right: IGNITION(`, "verification": {"hash": "sha256-${'0'.repeat(64)}"}`),
    },
    find: ({ document }) =>
      document.files.flatMap(({ path, from, where }) =>
        from !== undefined && from.hash === undefined && isOfAnybody(from.url.reveal())
          ? [{ message: `the content fetched for ${path} is not verified with a hash.`, where }]
          : [],
      ),
  },
];

/** A store knows who may write a secret; whatever lies elsewhere, encrypted for a known key or not, may be another's. */
function isOfAnybody(address: string): boolean {
  if (!isSecretReference(address)) return true;
  const reference = readReference(address);
  return 'kind' in reference && reference.kind === 'sealed' && /^https?:/i.test(reference.place);
}

function IGNITION(more: string): string {
  return `{"ignition": {"version": "3.4.0"}, "storage": {"files": [{"path": "/a",\n "contents": {"source": "https://files.example/a"${more}}}]}}\n`;
}

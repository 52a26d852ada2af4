import { isSecretReference } from '../../stores/reference/reference.ts';
import type { Rule } from '../rule/rule.ts';

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/;
const TOKEN = /\btoken:\s*["']?[a-z0-9]{6}\.[a-z0-9]{16}\b/;
const PASSWORD =
  /(?:^|\s)(?:password|passwd|client-?secret|aws_secret_access_key)["']?\s*[:=]\s*["']?[^\s"'{$<]{4,}/i;
const OPTIONS =
  /(?:^|\s)--?(?:token|discovery-token|tls-bootstrap-token|certificate-key|password|api-?key|client-secret)[= ]["']?[^\s"'$]{6,}|(?:curl|wget)\s[^|;&]{0,400}(?:-u|--user)[ =]["']?[^\s"'$]+:[^\s"'$]+/i;

export const SECRET_RULES: readonly Rule[] = [
  {
    id: 'secret-readable-by-everybody',
    severity: 'error',
    title: 'World-readable file with a secret',
    why: 'Every process on the machine can read the secret, and so can containers with a hostPath volume. The default mode of write_files is 0644.',
    remedy: "Set permissions: '0600'.",
    example: {
      wrong: 'write_files:\n- path: /etc/a.key\n  content: |\n    -----BEGIN EC PRIVATE KEY-----\n',
      right:
        "write_files:\n- path: /etc/a.key\n  permissions: '0600'\n  content: |\n    -----BEGIN EC PRIVATE KEY-----\n",
    },
    find: ({ files, document }) => [
      ...document.files
        .filter(({ from, mode }) => (mode & 0o004) !== 0 && isSecretReference(from?.url.reveal() ?? ''))
        .map(({ path, where }) => ({
          message: `${path} is world-readable and contains a secret from a secret store.`,
          where,
        })),
      ...files.flatMap(({ path, text, mode, where }) => {
        if ((mode & 0o004) === 0) return [];
        const what = PRIVATE_KEY.test(text)
          ? 'a private key'
          : TOKEN.test(text)
            ? 'a bootstrap token'
            : PASSWORD.test(text)
              ? 'a password'
              : undefined;
        return what === undefined
          ? []
          : [{ message: `${path} is world-readable and contains ${what}.`, where }];
      }),
    ],
  },
  {
    id: 'password-in-clear',
    severity: 'warning',
    title: 'The user data contains a plain-text password',
    why: "User data is kept in the cloud's metadata service, in a Secret in the management cluster and in backups. Anyone who can read it can log in.",
    remedy:
      'Use an SSH key, or a password hash (openssl passwd -6; hashed_passwd, or type: hash in chpasswd).',
    example: {
      wrong: 'users:\n- {name: ops, plain_text_passwd: hunter2, lock_passwd: false}\n',
      right: 'users:\n- {name: ops, hashed_passwd: $6$x$y, lock_passwd: false}\n',
    },
    find: ({ document }) => [
      ...document.users.flatMap(({ name, plainPassword, where }) =>
        plainPassword === undefined ? [] : [{ message: `the password of ${name} is in plain text.`, where }],
      ),
      ...(document.system?.passwords?.users ?? []).flatMap(({ name, password, isHash }) =>
        password === undefined || isHash ? [] : [{ message: `the password of ${name} is in plain text.` }],
      ),
    ],
  },
  {
    id: 'secret-on-command-line',
    severity: 'warning',
    title: 'A secret is on a command line',
    why: 'Every user on the machine can see process arguments, and cloud-init logs commands.',
    remedy: "Put the secret into a file with mode 0600 and pass the file's path (kubeadm: --config).",
    example: {
      wrong: 'runcmd:\n- kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef\n',
      right: 'runcmd:\n- kubeadm join --config /run/kubeadm/join.yaml\n',
    },
    find: ({ document, shells }) => [
      ...shells.flatMap(({ place, text, where }) =>
        OPTIONS.test(text) ? [{ message: `${place}: a secret is an argument of a command.`, where }] : [],
      ),
      ...document.commands.flatMap((command) =>
        command.kind === 'kubeadm' && OPTIONS.test(` ${command.args.reveal().join(' ')}`)
          ? [{ message: 'a secret is an argument of kubeadm.', where: command.where }]
          : [],
      ),
    ],
  },
  {
    id: 'everybody-is-root',
    severity: 'note',
    title: 'A user can log in with a password and become root without one',
    why: 'Guessing that password is then enough to get root access.',
    remedy: 'Lock the password (lock_passwd: true) and use SSH keys, or make sudo ask for the password.',
    example: {
      wrong: 'users:\n- {name: ops, lock_passwd: false, sudo: "ALL=(ALL) NOPASSWD:ALL"}\n',
      right: 'users:\n- {name: ops, sudo: "ALL=(ALL) NOPASSWD:ALL"}\n',
    },
    find: ({ document }) =>
      document.users.flatMap(({ name, sudo, lockPassword, where }) =>
        !lockPassword && sudo.some((rule) => /NOPASSWD:\s*ALL/.test(rule))
          ? [{ message: `${name} can log in with a password and become root without one.`, where }]
          : [],
      ),
  },
];

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
    title: 'A file with a secret may be read by everybody',
    why: 'Every process of the machine, those of containers with a host path too, can read the key. write_files gives 0644 where nothing is said.',
    remedy: "Say permissions: '0600'.",
    example: {
      wrong: 'write_files:\n- path: /etc/a.key\n  content: |\n    -----BEGIN EC PRIVATE KEY-----\n',
      right:
        "write_files:\n- path: /etc/a.key\n  permissions: '0600'\n  content: |\n    -----BEGIN EC PRIVATE KEY-----\n",
    },
    find: ({ files, document }) => [
      ...document.files
        .filter(({ from, mode }) => (mode & 0o004) !== 0 && isSecretReference(from?.url.reveal() ?? ''))
        .map(({ path, where }) => ({
          message: `everybody may read ${path}, which gets a secret of a store.`,
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
          : [{ message: `everybody may read ${path}, which holds ${what}.`, where }];
      }),
    ],
  },
  {
    id: 'password-in-clear',
    severity: 'warning',
    title: 'A password stands in the user data as it is typed',
    why: "User data lies in the cloud's metadata service, in the secret of the management cluster and in backups; whoever reads it logs in.",
    remedy:
      'Give a hash (openssl passwd -6; hashed_passwd, or type: hash in chpasswd), or better an SSH key.',
    example: {
      wrong: 'users:\n- {name: ops, plain_text_passwd: hunter2, lock_passwd: false}\n',
      right: 'users:\n- {name: ops, hashed_passwd: $6$x$y, lock_passwd: false}\n',
    },
    find: ({ document }) => [
      ...document.users.flatMap(({ name, plainPassword, where }) =>
        plainPassword === undefined ? [] : [{ message: `the password of ${name} is in clear.`, where }],
      ),
      ...(document.system?.passwords?.users ?? []).flatMap(({ name, password, isHash }) =>
        password === undefined || isHash ? [] : [{ message: `the password of ${name} is in clear.` }],
      ),
    ],
  },
  {
    id: 'secret-on-command-line',
    severity: 'warning',
    title: 'A secret stands on a command line',
    why: 'Everybody on the machine sees the arguments of a process, and cloud-init writes commands into its logs.',
    remedy: 'Put the secret into a file with mode 0600 and name the file (kubeadm: --config).',
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
    title: 'A user may become root without a password, and log in with one',
    why: 'A password that was guessed is then enough for everything.',
    remedy: 'Lock the password (lock_passwd: true) and give SSH keys, or ask for the password in sudo.',
    example: {
      wrong: 'users:\n- {name: ops, lock_passwd: false, sudo: "ALL=(ALL) NOPASSWD:ALL"}\n',
      right: 'users:\n- {name: ops, sudo: "ALL=(ALL) NOPASSWD:ALL"}\n',
    },
    find: ({ document }) =>
      document.users.flatMap(({ name, sudo, lockPassword, where }) =>
        !lockPassword && sudo.some((rule) => /NOPASSWD:\s*ALL/.test(rule))
          ? [{ message: `${name} may log in with a password and become root without one.`, where }]
          : [],
      ),
  },
];

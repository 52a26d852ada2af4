import type { FileEntry } from '../../document/document.ts';
import type { Rule } from '../rule/rule.ts';

function isBelow(path: string, directory: string): boolean {
  return directory !== '/' && (path === directory || path.startsWith(`${directory.replace(/\/$/, '')}/`));
}

function early(files: readonly FileEntry[]): FileEntry[] {
  return files.filter(({ defer }) => !defer);
}

export const ORDER_RULES: readonly Rule[] = [
  {
    id: 'file-hidden-by-mount',
    severity: 'warning',
    title: 'A file is written under a directory that is mounted later',
    why: 'cloud-init writes files before it mounts file systems, so the mount hides the file.',
    remedy: 'Write it with defer: true, or from a command.',
    example: {
      wrong: 'mounts:\n- [/dev/sdb, /var/lib/etcd]\nwrite_files:\n- path: /var/lib/etcd/note\n  content: x\n',
      right:
        'mounts:\n- [/dev/sdb, /var/lib/etcd]\nwrite_files:\n- path: /var/lib/etcd/note\n  content: x\n  defer: true\n',
    },
    find: ({ document }) =>
      early(document.files).flatMap(({ path, where }) => {
        const mount = document.mounts.find(({ fields }) => fields[1] !== null && isBelow(path, fields[1]));
        if (mount === undefined) return [];
        return [{ message: `${path} is written before ${mount.fields[1]} is mounted over it.`, where }];
      }),
  },
  {
    id: 'owner-not-there-yet',
    severity: 'warning',
    title: 'A file is owned by a user who is created later',
    why: 'cloud-init writes files before it creates users: the owner is unknown, and this file and all after it are skipped.',
    remedy: 'Write the file with defer: true.',
    example: {
      wrong: 'users:\n- name: ops\nwrite_files:\n- path: /a\n  owner: ops:ops\n  content: x\n',
      right: 'users:\n- name: ops\nwrite_files:\n- path: /a\n  owner: ops:ops\n  content: x\n  defer: true\n',
    },
    find: ({ document }) => {
      if (document.order !== 'modules') return [];
      // Every image has root.
      const made = new Set(document.users.map(({ name }) => name).filter((name) => name !== 'root'));
      return early(document.files).flatMap(({ path, owner, where }) => {
        const later = owner.split(':').find((name) => made.has(name));
        return later === undefined
          ? []
          : [{ message: `${path} is owned by ${later}, who is created after files are written.`, where }];
      });
    },
  },
  {
    id: 'file-not-there-at-boot',
    severity: 'warning',
    title: 'bootcmd uses a file that is written later',
    why: 'bootcmd runs before files are written, so the file does not exist on the first boot.',
    remedy: 'Move the command to runcmd, or put the file into the image.',
    example: {
      wrong: 'bootcmd:\n- sh /opt/a.sh\nwrite_files:\n- path: /opt/a.sh\n  content: exit 0\n',
      right: 'runcmd:\n- sh /opt/a.sh\nwrite_files:\n- path: /opt/a.sh\n  content: exit 0\n',
    },
    find: ({ document, shells }) =>
      shells.flatMap(({ place, text, where }) => {
        if (place !== 'bootcmd') return [];
        const file = document.files.find(({ path }) => path.length > 3 && text.includes(path));
        if (file === undefined || new RegExp(`>\\s*['"]?${escaped(file.path)}`).test(text)) return [];
        return [{ message: `bootcmd runs before ${file.path} is written.`, where }];
      }),
  },
  {
    id: 'file-written-twice',
    severity: 'warning',
    title: 'A file is written twice',
    why: 'The second silently overwrites the first.',
    remedy: 'Keep one of them, or append to the first with append: true.',
    example: {
      wrong: 'write_files:\n- {path: /a, content: x}\n- {path: /a, content: y}\n',
      right: 'write_files:\n- {path: /a, content: x}\n- {path: /a, content: y, append: true}\n',
    },
    find: ({ document }) =>
      document.files.flatMap(({ path, append, where }, index) => {
        const isAgain = document.files.slice(0, index).some((earlier) => earlier.path === path);
        return isAgain && !append
          ? [{ message: `${path} is written by an earlier item, which this one overwrites.`, where }]
          : [];
      }),
  },
  {
    id: 'kubeadm-called-twice',
    severity: 'warning',
    title: 'kubeadm is called more than once',
    why: 'The second call fails because of the files the first one left, or the machine gets two roles.',
    remedy: 'Call kubeadm init or kubeadm join only once.',
    example: {
      wrong: 'runcmd:\n- kubeadm join --config /a\n- kubeadm join --config /b\n',
      right: 'runcmd:\n- kubeadm join --config /a\n',
    },
    find: ({ document }) =>
      document.commands
        .filter(({ kind }) => kind === 'kubeadm')
        .slice(1)
        .map(({ where }) => ({ message: 'kubeadm is called again.', where })),
  },
];

function escaped(path: string): string {
  return path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

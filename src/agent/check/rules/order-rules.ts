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
    title: 'A file is written below a directory that is mounted later',
    why: 'cloud-init writes files before it mounts: the file lies on the disk below, and nobody sees it any more.',
    remedy: 'Write it with defer: true, or in a command.',
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
    title: 'A file is given to a user who is made later',
    why: 'cloud-init writes files before it makes users: the owner is not known, and this file and all after it are left out.',
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
          : [{ message: `${path} belongs to ${later}, who is made after files are written.`, where }];
      });
    },
  },
  {
    id: 'file-not-there-at-boot',
    severity: 'warning',
    title: 'bootcmd uses a file that is written later',
    why: 'bootcmd runs before files are written: at the first boot the file is not there.',
    remedy: 'Do it in runcmd, or put the file into the image.',
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
    why: 'The second takes the place of the first, without a word.',
    remedy: 'Keep one of them, or add to the first with append: true.',
    example: {
      wrong: 'write_files:\n- {path: /a, content: x}\n- {path: /a, content: y}\n',
      right: 'write_files:\n- {path: /a, content: x}\n- {path: /a, content: y, append: true}\n',
    },
    find: ({ document }) =>
      document.files.flatMap(({ path, append, where }, index) => {
        const isAgain = document.files.slice(0, index).some((earlier) => earlier.path === path);
        return isAgain && !append ? [{ message: `${path} was written before; that is lost.`, where }] : [];
      }),
  },
  {
    id: 'kubeadm-called-twice',
    severity: 'warning',
    title: 'kubeadm is called more than once',
    why: 'The second call finds what the first has left and fails, or the machine is two things at once.',
    remedy: 'Call kubeadm init or kubeadm join once.',
    example: {
      wrong: 'runcmd:\n- kubeadm join --config /a\n- kubeadm join --config /b\n',
      right: 'runcmd:\n- kubeadm join --config /a\n',
    },
    find: ({ document }) =>
      document.commands
        .filter(({ kind }) => kind === 'kubeadm')
        .slice(1)
        .map(({ where }) => ({ message: 'kubeadm is called once more.', where })),
  },
];

function escaped(path: string): string {
  return path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** User data for both cloud-init and Slipway, with what is on the machine before. */
export interface Example {
  name: string;
  /** Shell lines that prepare the machine. */
  before: string;
  userData: string;
  /** Codes of the findings that Slipway must come up with, in order. */
  findings: string[];
}

// The hash is that of a random password; `openssl passwd -6` made it.
const HASH =
  '$6$sZlWfTsdFqb1yXcM$4J3v1rn1Dd3Eo0zq6XQ0bT0qkcNtbwZzNNy8mB4Nq7wUoCFJ8Y1e6iE4Q9mM7b0n2jvWdKfZ1lV5rG3hYpXaS/';
const KEY_A = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK0wmN3Hr5cZk0sPl9gq1pW7vYJc2uT4xR8bDfQeLaMn';
const KEY_B = 'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBK1';

export const EXAMPLES: readonly Example[] = [
  {
    name: 'users as Cluster API writes them',
    before: ':',
    findings: [],
    userData: `#cloud-config
users:
  - name: capi
    passwd: ${HASH}
    gecos: Cluster Admin
    groups: sudo,video
    homedir: /home/admins/capi
    inactive: '30'
    lock_passwd: false
    shell: /bin/bash
    primary_group: operators
    sudo: ALL=(ALL) NOPASSWD:ALL
    ssh_authorized_keys:
      - ${KEY_A} first@example
      - ${KEY_B} second@example
  - name: plain
`,
  },
  {
    name: 'every option',
    before: 'mkdir -p /home/admins',
    findings: ['AccountSettingIgnored'],
    userData: `#cloud-config
groups:
  - empty
  - filled: [daemon, games]
  - early: [capi]
users:
  - {name: capi, uid: 1234, expiredate: '2031-01-02', groups: [filled, new1]}
  - {name: svc, system: true, homedir: /srv/svc, shell: /usr/sbin/nologin}
  - {name: bare, no_create_home: true, no_user_group: true, sudo: false}
  - {name: typed, plain_text_passwd: "correct horse", lock_passwd: false}
  - {name: locked, hashed_passwd: "${HASH}"}
  - name: ruled
    sudo: ["ALL=(root) /bin/ls", "ALL=(root) NOPASSWD: /bin/cat"]
`,
  },
  {
    name: 'users and keys of the image',
    before: `
useradd -m -s /bin/sh capi; echo 'capi:${HASH}' | chpasswd -e
install -d -m 700 -o capi -g capi /home/capi/.ssh
printf '# kept\\n%s old-comment\\nssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDx kept@image\\n' '${KEY_A}' >/home/capi/.ssh/authorized_keys
chown capi:capi /home/capi/.ssh/authorized_keys; chmod 640 /home/capi/.ssh/authorized_keys
groupadd present
printf '# image\\n\\n# User rules for capi\\ncapi ALL=(ALL) ALL\\n' >/etc/sudoers.d/90-cloud-init-users
chmod 440 /etc/sudoers.d/90-cloud-init-users
sed -i '/includedir/d' /etc/sudoers`,
    findings: ['AccountSettingIgnored'],
    userData: `#cloud-config
groups: [present]
users:
  - name: capi
    passwd: $6$other$other
    shell: /bin/bash
    groups: present
    sudo: ALL=(ALL) NOPASSWD:ALL
    ssh_authorized_keys:
      - ${KEY_A} new-comment
      - no-pty,command="/bin/echo a b" ${KEY_B} restricted@example
`,
  },
  {
    name: 'mounts and time servers',
    // That the service is there is all that either looks at; it is not run in this root.
    before: `
install -D /bin/true /lib/systemd/systemd-timesyncd
printf '# image\\nUUID=1-2 / ext4 defaults 0 1\\nLABEL=old\\t/old\\tauto\\tdefaults,nofail,comment=cloudconfig\\t0\\t2\\n' >/etc/fstab`,
    findings: [],
    userData: `#cloud-config
users: []
ntp:
  enabled: true
  servers: [time1.example, time2.example]
  pools: [pool.example]
mounts:
  - [LABEL=no_such_disk, /var/lib/data]
  - [tmpfs, /mnt/fast, tmpfs, "size=1m,nofail", '0', '0']
  - [server.example:/export, /mnt/share, nfs, "noauto,nofail", 0, 0]
  - [/dev/no_such_disk, /mnt/none, ext4, "nofail"]
  - [/dev/gone, /mnt/gone]
  - [/dev/gone, null]
`,
  },
];

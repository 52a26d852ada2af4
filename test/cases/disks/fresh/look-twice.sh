# What is on the disks, and the same after the user data was applied once more. Mounts end with the namespaces.
look() {
  sfdisk --dump $DISK1 | grep -o 'size=.*'; sfdisk --dump $DISK2 | grep -o 'size=.*, type=[^,]*'
  for part in ${DISK1}p1 ${DISK1}p2 ${DISK1}p3 ${DISK2}p1 ${DISK2}p2; do
    blkid -p -o value -s LABEL -s TYPE -s UUID $part
  done
  grep -c cloudconfig /etc/fstab
  awk '$5 ~ "^/(srv|var/lib)/" {print $5}' /proc/self/mountinfo
  stat -c %m '/var/lib/etcd disk' /srv/data
  ls /mnt
}
in_order() { tr '\n' ' ' </tmp/first | grep -Eq "$1" || { echo "not $1:"; cat /tmp/first; exit 1; } }
look >/tmp/first
in_order 'type=82 .*type=83 .*type=83 '       # the mbr types
in_order 'type=0FC63DAF-.* .*type=0657FD6D-'  # the gpt types
in_order 'swap .*etcd_disk .*FATTY '          # the labels
grep -qxF '/var/lib/etcd\040disk' /tmp/first  # mounted by label, with a space in its path
grep -qxF /srv/data /tmp/first                # mounted by the disk, whose first partition is meant
echo 'as expected'
$APPLY </tmp/user-data >/tmp/again
if grep -q '"done":false' /tmp/again; then cat /tmp/again; exit 1; fi
sed 's/.*"disks":{"result":{"done":true,"message":"\([^"]*\)".*/again: \1/' /tmp/again
look >/tmp/second
cmp /tmp/first /tmp/second && echo same
umount '/var/lib/etcd disk' /srv/data

cat /var/tmp/calls
blkid -p -o value -s LABEL $DISK1
fsck.ext4 -fn $DISK1 >/dev/null && echo clean

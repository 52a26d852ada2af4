cat /srv/file
umount /srv
fsck.ext4 -fn $DISK1 >/dev/null && echo clean
ls -A /run/slipway/exec

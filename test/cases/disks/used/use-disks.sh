mkfs.ext4 -q -L precious $DISK1
printf ',16M\n,\n' | sfdisk -q $DISK2; partx -u $DISK2
mkfs.ext4 -q -L first ${DISK2}p1
mkfs.vfat -n OLD $DISK3 >/dev/null
sha256sum $DISK1 $DISK2 $DISK3 >/tmp/sums

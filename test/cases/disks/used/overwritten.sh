for disk in $DISK1 $DISK2; do sfdisk --dump $disk | grep -c start=; done
for part in ${DISK2}p1 $DISK3; do blkid -p -o value -s LABEL $part; done
[ -z "$(blkid -p -o value -s TYPE ${DISK1}p1)" ] && echo empty

# What is on the disks; mounts end with the namespaces.
sfdisk --dump $DISK1 | sed -n "s|^$DISK1||p" | tr -s ' ' | sed '/^p1/!s/, uuid=[^,]*//'
for part in ${DISK1}p1 ${DISK1}p2 ${DISK1}p3 $DISK2; do
  blkid -p -o value -s LABEL -s TYPE $part | tr '\n' ' '
done
echo _

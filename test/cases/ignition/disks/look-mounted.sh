blkid -p -o value -s UUID ${DISK1}p2
blkid -p -o value -s UUID ${DISK1}p3
awk '$5 == "/srv/data" {print $6 ~ /noatime/, $(NF-2)}' /proc/self/mountinfo
mountpoint -q /srv/data && cat /srv/data/file
echo
umount /srv/data

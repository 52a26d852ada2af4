mkfs.ext4 -q $DISK1
mount $DISK1 /srv
echo precious >/srv/file

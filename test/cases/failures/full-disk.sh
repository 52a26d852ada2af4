# The journal's file system has no byte left; the verdict lies elsewhere and tells it. Ends as the bootstrap does.
mkdir -p /var/lib/slipway
mount -t tmpfs -o size=64k tmpfs /var/lib/slipway
head -c 128k /dev/zero >/var/lib/slipway/fill || :
seed=/var/lib/cloud/seed/nocloud
actual=0
slipway bootstrap --user-data $seed/user-data --meta-data $seed/meta-data 2>/tmp/stderr || actual=$?
umount /var/lib/slipway
cat /tmp/stderr >&2
told=$(cat /tmp/stderr)
has_no "$told" '^ +at .+:[0-9]+:[0-9]+\)?$' 'standard error'
exit $actual

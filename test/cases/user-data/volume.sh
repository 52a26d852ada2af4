# A real vfat volume with the label of NoCloud: read by our own readers, so nothing is mounted, whatever the kernel can mount.
gunzip -c /checkout/src/agent/userdata/sources/images/fixtures/fat12.img.gz >"$DISK"
status=0
/checkout/dist/slipway-linux-x64 plan || status=$?
echo "status $status"
echo "left: $(find /run/slipway -name 'seed-*') $(grep -c "$DISK" /proc/mounts)"

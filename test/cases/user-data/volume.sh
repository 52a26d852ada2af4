# A real vfat volume with the label of NoCloud; the seed gets onto it only where the kernel can mount vfat.
mkfs.vfat -n CIDATA "$DISK" >/dev/null
if mount -t vfat "$DISK" /mnt 2>/dev/null; then
  printf 'instance-id: i-volume\n' >/mnt/meta-data
  printf '#cloud-config\nslipway: {kubeadm: none}\nwrite_files: [{path: /data/volume, content: found}]\n' >/mnt/user-data
  umount /mnt
  echo mountable
fi
status=0
/checkout/node_modules/.bin/node /checkout/src/slipway.ts bootstrap >&2 || status=$?
echo "status $status"
if [ -e /data/volume ]; then cat /data/volume; fi
echo "left: $(find /run/slipway -name 'seed-*') $(grep -c "$DISK" /proc/mounts)"

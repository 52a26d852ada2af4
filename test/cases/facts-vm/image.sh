# An initramfs of the programs that are compared, for a machine that has nothing else. Runs in a root that has them.
image=/work/image
mkdir -p $image/bin $image/dev $image/etc $image/proc $image/run $image/sys $image/tmp $image/usr/share/misc
cp /etc/os-release $image/etc/
cp /usr/share/misc/pci.ids $image/usr/share/misc/
# Without the links of a merged /usr: what ldd names lies below both.
{
  for name in busybox lscpu lsblk lsmem ip lspci dmidecode systemd-detect-virt mokutil; do command -v "$name"; done
  echo /dist/slipway-linux-x64
} >/work/programs
while read -r program; do
  cp -L --parents "$program" $image/
  ldd "$program" 2>/dev/null | grep -o '/[^ ]*' >/work/libraries || continue
  while read -r library; do cp -L --parents "$library" $image/; done </work/libraries
done </work/programs
busybox --install $image/bin
install --mode=755 "${INIT:-/case/guest-init}" $image/init
kernel=$(ls /lib/modules)
for module in virtio_pci virtio_blk virtio_scsi sd_mod virtio_net efivarfs; do
  modprobe --set-version "$kernel" --show-depends "$module" | sed -n 's/^insmod //p'
done | awk '!seen[$1]++ { print $1 }' >$image/modules
while read -r module; do cp --parents "$module" $image/; done <$image/modules
(cd $image && find . | cpio --quiet --create --format=newc) >/work/initramfs
cp "/boot/vmlinuz-$kernel" /work/vmlinuz
rm -r $image

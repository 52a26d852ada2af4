# A root file system with the real programs, and an initramfs that starts it. Runs in a root that has them.
image=/work/image
mkdir -p $image/dev $image/proc $image/run $image/sys $image/tmp $image/root $image/var/lib $image/boot/grub
tar -C / --one-file-system --exclude=./usr/bin/qemu* --exclude=./usr/share/{doc,locale,man,qemu,seabios,OVMF,perl,zoneinfo,i18n} \
  --exclude=./usr/lib/{modules,firmware,python3*} --exclude=./usr/lib/x86_64-linux-gnu/{perl*,libLLVM*,libicu*} \
  -cf - ./bin ./sbin ./lib ./lib64 ./usr ./etc ./var/cache/cracklib | tar -C $image -xf -
kernel=$(ls /lib/modules)
cp "/boot/vmlinuz-$kernel" $image/boot/
cp "/boot/vmlinuz-$kernel" /work/vmlinuz
cp $image/usr/share/grub/default/grub $image/etc/default/grub
cp /dist/slipway-linux-x64 $image/usr/bin/slipway
install --mode=755 /own/guest-init $image/init
install --mode=755 /own/deadly $image/usr/local/sbin/mdadm
ln $image/usr/local/sbin/mdadm $image/usr/local/sbin/cryptsetup
ln $image/usr/local/sbin/mdadm $image/usr/local/sbin/clevis
mkdir $image/own
cp /own/scenario.sh /own/*.ign $image/own/
truncate --size=2G /work/root
mkfs.ext4 -q -O ^has_journal -d $image /work/root
rm -r $image

mkdir -p $image/bin $image/dev $image/proc $image/root $image/sys
cp /usr/bin/busybox $image/bin/
install --mode=755 /own/first-init $image/init
for module in virtio_pci virtio_blk ext4 dm-crypt raid1 xts ecb algif_skcipher; do
  modprobe --set-version "$kernel" --show-depends "$module" | sed -n 's/^insmod //p'
done | awk '!seen[$1]++ { print $1 }' >$image/modules
while read -r module; do cp --parents "$module" $image/; done <$image/modules
(cd $image && find . | cpio --quiet --create --format=newc) >/work/initramfs
rm -r $image

# Boots the image by UEFI without KVM, on a disk larger than it is, with a NoCloud seed on another; it ends when it has told.
cd /work
truncate -s 4M seed
mformat -i seed -v CIDATA ::
mcopy -i seed /case/seed.user-data ::/user-data
printf 'instance-id: i-1\nlocal-hostname: node-1\n' >meta-data
mcopy -i seed meta-data ::/meta-data
qemu-img create -q -f qcow2 -F qcow2 -b node.qcow2 disk 6G
firmware=/usr/share/OVMF
cp $firmware/OVMF_VARS_4M.fd vars
timeout 1500 qemu-system-x86_64 -no-user-config -nodefaults -display none -no-reboot -machine q35 -m 1024 -smp 2 \
  -cpu Nehalem -accel tcg,thread=multi,tb-size=512 -serial file:console \
  -drive if=pflash,unit=0,format=raw,readonly=on,file=$firmware/OVMF_CODE_4M.fd \
  -drive if=pflash,unit=1,format=raw,file=vars \
  -drive if=virtio,format=qcow2,file=disk -drive if=virtio,format=raw,readonly=on,file=seed \
  -netdev user,id=n0,restrict=on -device virtio-net-pci,netdev=n0,romfile=

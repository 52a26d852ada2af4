# A machine with a root file system and four disks.
NAME=vm FIRMWARE=bios SECONDS_AT_MOST=1800
set -- -smp 2 -m 2048 -drive if=none,id=root,format=raw,snapshot=on,file=/work/root -device virtio-blk-pci,drive=root
mkdir -p /work/$NAME
for disk in c d e f; do
  truncate --size=128M /work/$NAME/$disk
  set -- "$@" -drive "if=none,id=$disk,format=raw,file=/work/$NAME/$disk" -device "virtio-blk-pci,drive=$disk"
done
. /case/boot.sh

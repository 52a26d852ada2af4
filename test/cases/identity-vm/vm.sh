# A machine with UEFI, a TPM, and a network in which only the controller is.
NAME=vm FIRMWARE=uefi INITRD=/work/initramfs.seed
(cd /work/seed && find . | cpio --quiet --create --format=newc) | cat /work/initramfs - >$INITRD
set -- -smp 2 -m 1024 \
  -chardev "socket,id=tpm,path=/work/$NAME/tpm.socket" -tpmdev emulator,id=tpm,chardev=tpm -device tpm-crb,tpmdev=tpm \
  -netdev 'user,id=n0,restrict=on,guestfwd=tcp:10.0.2.100:8443-cmd:socat - UNIX-CONNECT:/door/controller' \
  -device virtio-net-pci,netdev=n0,mac=52:54:00:77:00:30,romfile=
. /case/boot.sh

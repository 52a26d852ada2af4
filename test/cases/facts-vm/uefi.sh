# A machine as a cloud gives it: UEFI with secure boot, a TPM, and fields that are filled in.
NAME=uefi FIRMWARE=uefi
set -- -smp 2 -m 1024 \
  -smbios "type=0,vendor=Dell Inc.,version=1.9.2,date=11/17/2023,uefi=on" \
  -smbios "type=1,manufacturer=Dell Inc.,product=PowerEdge R750,version=A00,serial=7XK2B04,sku=SKU=NotProvided;ModelName=PowerEdge R750,uuid=4c4c4544-0058-4b10-8032-b7c04f423034" \
  -smbios "type=2,product=0PYXKY" \
  -chardev "socket,id=tpm,path=/work/$NAME/tpm.socket" -tpmdev emulator,id=tpm,chardev=tpm -device tpm-crb,tpmdev=tpm \
  -netdev user,id=n0,restrict=on -device virtio-net-pci,netdev=n0,mac=52:54:00:77:00:20,romfile=
. /case/boot.sh

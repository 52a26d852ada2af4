# A server of two sockets and two nodes of memory, whose firmware says what firmware says.
NAME=bios FIRMWARE=bios
set -- -smp 8,sockets=2,cores=2,threads=2 -m 1536 \
  -object memory-backend-ram,id=m0,size=1G -object memory-backend-ram,id=m1,size=512M \
  -numa node,nodeid=0,memdev=m0,cpus=0-3 -numa node,nodeid=1,memdev=m1,cpus=4-7 \
  -smbios "type=0,vendor=American  Megatrends Inc. ,version=1.4b,date=07/21/2023" \
  -smbios "type=1,manufacturer=  Supermicro  ,product=SYS$(printf '\377\376')-420,version=To be filled by O.E.M.,serial= A45  1234,sku=Default string,uuid=7c4a1e00-5c2d-11ec-8000-3cecef9a1b2c" \
  -smbios "type=2,product=X12$(printf '\033')[31mDGO,serial=0000000" \
  -smbios "type=17,manufacturer=Samsung,serial=M1" \
  -drive "if=none,id=nvme,format=raw,file=/work/$NAME/nvme" -device nvme,drive=nvme,serial=NVME-0042 \
  -drive "if=none,id=virtio,format=raw,readonly=on,file=/work/$NAME/virtio" -device virtio-blk-pci,drive=virtio,serial=VIRTIO-7 \
  -device virtio-scsi-pci -drive "if=none,id=scsi,format=raw,file=/work/$NAME/scsi" \
  -device scsi-hd,drive=scsi,vendor=ACME,product=Anvil,serial=SCSI-99,rotation_rate=7200 \
  -drive if=none,id=cd,media=cdrom -device scsi-cd,drive=cd \
  -netdev user,id=n0,restrict=on -device virtio-net-pci,netdev=n0,mac=52:54:00:77:00:10,romfile= \
  -netdev user,id=n1,restrict=on -device virtio-net-pci,netdev=n1,mac=52:54:00:77:00:11,romfile= \
  -device VGA,romfile= -device ati-vga,romfile=
. /case/boot.sh

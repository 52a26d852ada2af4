# Starts the virtual machine $NAME with the arguments given and waits until it has answered and ended.
dir=/work/$NAME
mkdir -p "$dir/tpm" "$dir/answers"
truncate --size=8M "$dir/disk"
truncate --size=3G "$dir/nvme"
truncate --size=5G "$dir/virtio"
truncate --size=7G "$dir/scsi"
cp /usr/share/OVMF/OVMF_VARS_4M.ms.fd "$dir/vars"
swtpm socket --tpm2 --tpmstate "dir=$dir/tpm" --ctrl "type=unixio,path=$dir/tpm.socket" --flags startup-clear --terminate --daemon
[ "$FIRMWARE" = bios ] || set -- "$@" -machine q35,smm=on -global driver=cfi.pflash01,property=secure,value=on \
  -drive if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.ms.fd \
  -drive "if=pflash,unit=1,format=raw,file=$dir/vars"
# Its clock is the processor's: without KVM a machine that waits for another program would wait long.
timeout "${SECONDS_AT_MOST:-900}" qemu-system-x86_64 -no-user-config -nodefaults -display none -no-reboot -machine q35 -cpu Nehalem \
  -accel tcg,thread=multi,tb-size=512 -kernel /work/vmlinuz -initrd "${INITRD:-/work/initramfs}" \
  -append "console=ttyS0 panic=-1 quiet net.ifnames=0 mitigations=off tsc=reliable ${APPEND:-}" \
  -serial "file:$dir/console" -drive "if=none,id=answers,format=raw,file=$dir/disk" \
  -device virtio-blk-pci,drive=answers,serial=answers "$@" || { cat "$dir/console"; exit 1; }
tar -xf "$dir/disk" -C "$dir/answers" || { cat "$dir/console"; exit 1; }

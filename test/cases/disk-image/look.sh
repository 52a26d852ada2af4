# What is in the image, without booting it.
cd /work
fail() { echo "$*" >&2; exit 1; }
sfdisk --dump node.raw | grep -q '^label: gpt$' || fail "no GPT"
[ "$(sfdisk --dump node.raw | grep -c '^node.raw[12] ')" = 2 ] || fail "$(sfdisk --dump node.raw)"
[ "$(stat -c %s node.raw)" = 4294967296 ] || fail "it has another size"
qemu-img check -q node.qcow2
qemu-img compare -q node.raw node.qcow2 || fail "two builds of the same time differ"

start=$(sfdisk --json node.raw | sed -n 's/.*"start": *\([0-9]*\).*/\1/p' | sed -n 2p)
dd if=node.raw of=root bs=512 skip="$start" conv=sparse status=none
e2fsck -fn root >/dev/null || fail "the root's file system is not clean"
inside() { debugfs -R "$*" root 2>/dev/null; }
mode() { inside stat "$1" | sed -n 's/.*Mode: *\([0-7]*\).*/\1/p'; }
for path in /usr/bin/slipway /usr/bin/kubeadm; do
  [ "$(mode $path)" = 0755 ] || fail "$path: $(inside stat $path)"
done
[ -z "$(inside cat /etc/machine-id)" ] || fail "it has an id"
for path in /etc/hostname /slipway.deb /var/lib/slipway; do
  [ -z "$(mode $path)" ] || fail "$path is there"
done
for unit in multi-user.target.wants/slipway.service sysinit.target.wants/slipway-report.service; do
  inside stat /usr/lib/systemd/system/$unit | grep -q 'Type: symlink' || fail "$unit is not enabled"
done
mdir -b -i node.raw@@1M -/ :: | tr -d '\r' | sort >files
for file in EFI/BOOT/BOOTX64.EFI loader/loader.conf loader/entries/slipway.conf vmlinuz initrd; do
  grep -qix "::/$file" files || fail "$file is not on the EFI partition: $(cat files)"
done
rm root

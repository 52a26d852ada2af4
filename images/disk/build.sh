#!/bin/sh
# Builds a disk image of Debian with Slipway in it: GPT, UEFI, systemd-boot, one ext4 root. As root, without loop devices.
#   sh build.sh -d slipway_V_amd64.deb [-s SUITE] [-m MIRROR] [-g GIGABYTES] [-l KERNEL] [-p PACKAGE,...] [-k SCRIPT] IMAGE
#   IMAGE  its name ends in .raw or .qcow2
#   -m     archive of Debian, or a file of apt's sources; default: Debian's own
#   -g     size of the disk, default 4; the root grows with the machine's disk at boot
#   -l     the kernel's package, default linux-image-cloud-amd64; bare metal and VMware need linux-image-amd64
#   -p     more packages, such as openssh-server
#   -k     a script of yours that gets the root's folder: kubelet and kubeadm, as you install them
# Needs mmdebstrap, e2fsprogs, fdisk, mtools; for .qcow2 qemu-utils. SOURCE_DATE_EPOCH: the time that files get, default now.
set -eu

usage() {
  sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
deb='' suite=bookworm mirror='' gigabytes=4 kernel=linux-image-cloud-amd64 packages='' script=''
while getopts d:s:m:g:l:p:k: option; do
  case $option in
    d) deb=$OPTARG ;;
    s) suite=$OPTARG ;;
    m) mirror=$OPTARG ;;
    g) gigabytes=$OPTARG ;;
    l) kernel=$OPTARG ;;
    p) packages=,$OPTARG ;;
    k) script=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ -n "$deb" ] && [ $# = 1 ] || usage
image=$1
tools='mmdebstrap mke2fs debugfs sfdisk mformat mcopy'
case $image in
  *.raw) ;;
  *.qcow2) tools="$tools qemu-img" ;;
  *) usage ;;
esac
case $gigabytes in
  '' | 0* | *[!0-9]*) usage ;;
esac
refuse() {
  echo "build.sh: $1" >&2
  exit 2
}
for tool in $tools; do
  command -v "$tool" >/dev/null || refuse "$tool is missing; apt install mmdebstrap e2fsprogs fdisk mtools qemu-utils"
done
for file in "$deb" ${script:+"$script"}; do
  [ -f "$file" ] || refuse "$file: no such file"
done
[ "$(id -u)" = 0 ] || refuse 'only root can make the root of a machine'

here=$(dirname "$(realpath "$0")")
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(date +%s)}"
export E2FSPROGS_FAKE_TIME="$SOURCE_DATE_EPOCH"
# The same id for the same image. Who asks by a name gets one of its own.
id() {
  printf '%s %s' "$1" "$SOURCE_DATE_EPOCH" | sha256sum |
    sed -E 's/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/\1-\2-4\3-8\4-\5/'
}

scratch=$(mktemp -d "$(dirname "$image")/.image-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
root=$scratch/root
cp "$deb" "$scratch/slipway.deb"

node=containerd,runc,conntrack,iptables,ebtables,ethtool,socat,kmod,iproute2,procps,util-linux,e2fsprogs,dosfstools
mmdebstrap --mode=root --variant=minbase --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --aptopt='Acquire::Retries "3"' \
  --include="systemd-sysv,systemd-resolved,systemd-timesyncd,udev,dbus,initramfs-tools,zstd,$kernel,systemd-boot-efi" \
  --include="ca-certificates,libstdc++6,$node$packages" \
  --customize-hook="copy-in '$scratch/slipway.deb' /" --customize-hook='chroot "$1" dpkg -i /slipway.deb' \
  --customize-hook='rm "$1/slipway.deb"' --customize-hook='chroot "$1" systemctl enable systemd-networkd.service' \
  "$suite" "$root" ${mirror:+"$mirror"}
cp -R "$here/root/." "$root/"
if [ -n "$script" ]; then sh -eu "$script" "$root"; fi
# Each machine gets a name, an id and keys of its own, and none of them the builder's logs and caches.
: >"$root/etc/machine-id"
rm -rf "$root/etc/hostname" "$root"/etc/ssh/ssh_host_* "$root"/var/log/*.log "$root"/var/log/apt/* "$root"/var/cache/ldconfig/*
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

# What the firmware reads: systemd-boot, the kernel, and what to tell it.
esp=$scratch/esp
mebibytes=256
truncate -s "${mebibytes}M" "$esp"
mformat -i "$esp" -F -v ESP -N "$(id esp | cut -c 1-8)" ::
cp -R "$here/esp" "$scratch/files"
mkdir -p "$scratch/files/EFI/BOOT"
cp "$root/usr/lib/systemd/boot/efi/systemd-bootx64.efi" "$scratch/files/EFI/BOOT/BOOTX64.EFI"
cp "$root"/boot/vmlinuz-* "$scratch/files/vmlinuz"
cp "$root"/boot/initrd.img-* "$scratch/files/initrd"
find "$scratch/files" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
mcopy -i "$esp" -s -m "$scratch/files/EFI" "$scratch/files/loader" "$scratch/files/vmlinuz" "$scratch/files/initrd" ::

# The end of the disk has the table's second copy.
ext4=$scratch/ext4
mke2fs -q -t ext4 -L root -U "$(id root)" -E "hash_seed=$(id seed)" -d "$root" "$ext4" "$((gigabytes * 1024 - mebibytes - 2))M"
# mke2fs takes over when a file was last read, and when it got into the folder.
time=@$SOURCE_DATE_EPOCH
(cd "$root" && find . -printf "set_inode_field \"%p\" ctime $time\nset_inode_field \"%p\" atime $time\n") |
  sed 's/"\./"/; s/""/"\/"/' >"$scratch/times"
debugfs -w -f "$scratch/times" "$ext4" >/dev/null 2>&1

raw=$scratch/raw
truncate -s "${gigabytes}G" "$raw"
sfdisk -q "$raw" <<TABLE
label: gpt
label-id: $(id disk)
start=1MiB, size=${mebibytes}MiB, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B, uuid=$(id first), name=esp
start=$((mebibytes + 1))MiB, type=4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709, uuid=$(id second), name=root
TABLE
dd if="$esp" of="$raw" bs=1M seek=1 conv=notrunc,sparse status=none
dd if="$ext4" of="$raw" bs=1M seek=$((mebibytes + 1)) conv=notrunc,sparse status=none
case $image in
  *.raw) mv "$raw" "$image" ;;
  *) qemu-img convert -c -O qcow2 "$raw" "$image" ;;
esac

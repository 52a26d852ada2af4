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
echo "read by buildah, and the agent in it runs"

# All images go from containerd into a folder, of which a registry on the machine gives them.
in_cri() { ctr --namespace k8s.io "$@"; }
mkdir -p /root/registry/tags
in_cri images ls >/root/images
names=$(awk '/^[a-z].*\// {print $1}' /root/images)
awk '/^[a-z].*\// {print $1, $3}' /root/images | while read -r name digest; do
  mkdir -p "/root/registry/tags/$(dirname "$name")"
  printf %s "$digest" >"/root/registry/tags/$name"
done
# shellcheck disable=SC2086
in_cri images export /root/all.tar $names
tar -xf /root/all.tar -C /root/registry blobs
rm /root/all.tar
in_cri images ls -q | xargs -r ctr --namespace k8s.io images rm --sync >/dev/null
is "$(in_cri images ls -q)" '' 'what is left of the images'
systemd-run --quiet --unit=registry perl /root/registry.pl
until_ok bash -c 'exec 3<>/dev/tcp/127.0.0.1/5000'

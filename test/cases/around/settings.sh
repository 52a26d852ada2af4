is "$(tr -s '\t ' ' ' </proc/sys/net/ipv4/ip_local_port_range)" '20000 60000' 'the range of ports'
dump=$(containerd config dump)
# containerd 2 has other quotes.
has "$dump" "config_path = [\"']/etc/containerd/certs\.d[\"']"
has "$dump" 'restrict_oom_score_adj = true' "the image's own setting"
[ "$CGROUP_DRIVER" = systemd ] && driver=true || driver=false
has "$(cat /etc/containerd/config.toml)" "SystemdCgroup = $driver"
has "$(cat /etc/containerd/certs.d/docker.io/hosts.toml)" 'mirror\.example'
for unit in containerd kubelet; do
  environment=$(tr '\0' '\n' <"/proc/$(systemctl show $unit -p MainPID --value)/environ")
  has "$environment" '^HTTPS_PROXY=http://user:' "the environment of $unit"
  has "$environment" '^NO_PROXY=.*\.corp\.example' "the environment of $unit"
  told=$(systemctl show $unit -p Environment)
  has_no "$told" pr0xy-hunter2 'what everybody may ask systemd'
done
exists /etc/kubernetes/patches/kube-apiserver0+merge.yaml
until_ok pod_runs "beside-$(hostname)"

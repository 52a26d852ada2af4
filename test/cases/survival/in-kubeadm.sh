# Some moment of the seconds in which kubeadm runs: of those of newer releases there are few.
until_ok 60 pgrep -x kubeadm
for _ in $(seq $((RANDOM % 80))); do
  pgrep -x kubeadm >/dev/null || break
  sleep 0.1
done

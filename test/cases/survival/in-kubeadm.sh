# Some moment of the seconds in which kubeadm runs: of those of newer releases there are few.
touch /var/tmp/go # It was not over before anybody looked.
until_ok pgrep -x kubeadm
for _ in $(seq $((RANDOM % 80))); do
  pgrep -x kubeadm >/dev/null || break
  sleep 0.1
done

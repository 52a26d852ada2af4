# Some moment of the seconds in which kubeadm runs.
until_ok 60 pgrep -x kubeadm
sleep "$((RANDOM % 8)).$((RANDOM % 10))"

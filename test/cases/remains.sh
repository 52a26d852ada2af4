# What is left on a machine of a case that failed, for whoever reads why: a bounded end of each log.
{
  for pod in etcd kube-apiserver; do
    for log in /var/log/pods/kube-system_"$pod"-*/*/*.log; do
      if [ -e "$log" ]; then echo "--- $log"; tail -n 8 "$log"; fi
    done
  done
  echo '--- kubelet and containerd'
  journalctl --boot --no-pager --output short-monotonic --unit kubelet --unit containerd --lines 1000 |
    grep -vE ': I[0-9]{4} |level=info' | tail -n 40
  df --human-readable /
} 2>&1 | cut -c1-400

manifest=$(cat /etc/kubernetes/manifests/kube-apiserver.yaml)
has "$manifest" 'patched: yes-it-is'
has "$(grep -A1 'name: NO_PROXY' <<<"$manifest")" 'value: \S*10\.96\.0\.0/12\S*10\.99\.0\.61'

# slipway preflight on a sound machine, and on one without a container runtime.
seed=/var/lib/cloud/seed/nocloud
preflight=(slipway preflight --user-data $seed/user-data --meta-data $seed/meta-data)
"${preflight[@]}"
systemctl stop containerd
status 1 "${preflight[@]}" --output json >/tmp/findings
systemctl start containerd
until_ok cri_answers
findings=$(tr -d ' \n' </tmp/findings)
has "$findings" '"passed":false'
is "$(grep -o '"severity":"fatal"' <<<"$findings" | wc -l)" 1 'the number of fatal findings'
has "$findings" '"code":"ContainerRuntimeDown"'

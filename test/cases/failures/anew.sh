# What ended the script is told again, with the way to run it anew; that is shown first, then done.
again() { slipway "$@" --user-data /tmp/user-data --meta-data /var/lib/cloud/seed/nocloud/meta-data; }
told=$(again bootstrap 2>&1) && exit 1
has "$told" 'Nothing was tried now'
has "$told" 'slipway bootstrap --again then runs it anew'
told=$(slipway status)
has "$told" 'Nothing was tried now'
has "$told" 'slipway bootstrap --again then runs it anew'
touch /run/mended
told=$(again plan --again)
has "$told" '^failed +runcmd/1'
has "$told" '^new +kubeadm'
has_no "$told" '^[a-z]+ +files'
again bootstrap --again

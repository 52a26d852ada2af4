# Prints what user data decides about accounts, time and mounts; whatever differs from run to run is left out.
section() { printf '\n== %s\n' "$1"; }
section passwd; cat /etc/passwd
section group; awk -F: '{ n = split($4, m, ","); printf "%s:%s:", $1, $3; asort_list(m, n); print "" }
function asort_list(m, n,  i, j, t) { for (i = 1; i < n; i++) for (j = i + 1; j <= n; j++) if (m[j] < m[i]) { t = m[i]; m[i] = m[j]; m[j] = t }
  for (i = 1; i <= n; i++) printf "%s ", m[i] }' /etc/group
section shadow; cut -d: -f1,2,4-8 /etc/shadow | sed 's/:\(!*\)\$y\$[^:]*/:\1yescrypt/'
section homes; find /home /srv -mindepth 1 -printf '%M %u:%g %p\n' | sort -k3
section keys; find /home -name authorized_keys | sort | while read -r file; do echo "$file"; sort "$file"; done
section sudoers; stat -c '%A %U:%G %n' /etc/sudoers /etc/sudoers.d/9* || echo none
grep -hv '^#[^i]\|^#$\|^$' /etc/sudoers.d/9* || echo none
grep '^[#@]includedir' /etc/sudoers
visudo -c >/dev/null && echo valid
section fstab; sed -E 's/,x-systemd.(requires|after)=cloud-init(-network)?.service//; s/[[:space:]]+/ /g' /etc/fstab
section mounted; grep -c ' /mnt/fast ' /proc/self/mountinfo || true
section points; stat -c '%A %U:%G %n' /var/lib/data /mnt/* || true
section time; grep -hv '^#\|^$' /etc/systemd/timesyncd.conf.d/*.conf | sed 's/ *$//' || echo none

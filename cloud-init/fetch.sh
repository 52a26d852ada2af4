# Fetches Slipway's program of this machine's architecture, checks it, installs it as the machine's kubeadm, and starts the
# reporter. Where anything does not hold nothing is installed, and the machine goes on with the kubeadm of its image.
# Comes with the settings below, and with release/verify.sh in place of the line that names it.
set -eu

say() {
  echo "slipway-fetch: $*" >&2
  if command -v logger >/dev/null; then logger -t slipway-fetch -- "$*" || :; fi
}
fail() {
  say "$*; nothing was installed"
  exit 1
}
case $SLIPWAY_URL$SLIPWAY_VERSION$SLIPWAY_KEY in
  *@[A-Z]*@*) fail "the settings still have a name between two @" ;;
esac
command -v openssl >/dev/null || fail "openssl is missing, without which no signature can be checked"
command -v curl >/dev/null || command -v wget >/dev/null || fail "neither curl nor wget is here"
case $(uname -m) in
  x86_64) program=slipway-linux-x64 ;;
  aarch64) program=slipway-linux-arm64 ;;
  *) fail "there is no Slipway for $(uname -m)" ;;
esac

install_and_start() { # PROGRAM
  "$1" install --shim --report >&2 || fail "$1 does not install itself"
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl start --no-block slipway-report.service slipway-checkin.path
  fi
}
for there in /usr/local/bin/slipway /opt/bin/slipway /usr/bin/slipway; do
  [ -x "$there" ] && [ "$("$there" version | cut -d' ' -f2)" = "$SLIPWAY_VERSION" ] || continue
  install_and_start "$there"
  exit 0
done

# Neither /tmp nor /var/tmp: where those are mounted noexec, the program could not run.
rm -rf /var/lib/slipway-fetch.*
scratch=$(mktemp -d /var/lib/slipway-fetch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$scratch/release"
cat >"$scratch/verify.sh" <<'END_OF_VERIFY'
@verify.sh@
END_OF_VERIFY

# By the time since boot: the clock may be set meanwhile.
uptime() { cut -d. -f1 /proc/uptime; }
# Where a server may lead to: from TLS to no other way.
case $SLIPWAY_URL in https:*) ways='=https' ;; *) ways='=http,https' ;; esac
deadline=$(($(uptime) + ${SLIPWAY_WAIT:-300}))
download() ( # URL FILE SECONDS
  # In units of 512 bytes: a server that never ends must not fill the disk.
  case $2 in *SHA256SUMS*) ulimit -f 2048 ;; *) ulimit -f 614400 ;; esac
  if command -v curl >/dev/null; then
    curl -fsSL --proto-redir "$ways" --connect-timeout 10 --speed-limit 1000 --speed-time 30 --max-time "$3" -o "$2" "$1"
  else
    timeout "$3" wget -q -T 30 -O "$2" "$1"
  fi
)
fetch() { # NAME
  pause=1
  while :; do
    left=$((deadline - $(uptime)))
    [ "$left" -gt 0 ] ||
      fail "$SLIPWAY_URL/$1 cannot be fetched: $(cat "$scratch/why"); tried for ${SLIPWAY_WAIT:-300} s"
    if download "$SLIPWAY_URL/$1" "$scratch/release/$1" "$left" 2>"$scratch/why"; then return; fi
    [ -s "$scratch/why" ] || echo "no answer, or not all of it" >"$scratch/why"
    [ "$pause" -gt 1 ] || say "$SLIPWAY_URL/$1 is not there yet: $(cat "$scratch/why")"
    sleep "$pause"
    [ "$pause" -ge 8 ] || pause=$((pause * 2))
  done
}
echo "there was no time to try" >"$scratch/why"
for name in SHA256SUMS SHA256SUMS.minisig "$program"; do fetch "$name"; done

if [ -n "${SLIPWAY_SHA256:-}" ] && [ "$(sha256sum <"$scratch/release/$program")" != "$SLIPWAY_SHA256  -" ]; then
  fail "$program has another digest than SLIPWAY_SHA256"
fi
told=$(sh "$scratch/verify.sh" -k "$SLIPWAY_KEY" -v "$SLIPWAY_VERSION" "$scratch/release" 2>&1) || fail "$told"
[ -s "$scratch/release/$program" ] || fail "$program was not fetched"
say "$told"
chmod 755 "$scratch/release/$program"
install_and_start "$scratch/release/$program"

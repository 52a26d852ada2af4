#cloud-boothook
#!/bin/sh
# The folder of a release, of any web server: it is not trusted. The key and the version are.
SLIPWAY_URL=@URL@
SLIPWAY_VERSION=@VERSION@
SLIPWAY_KEY=@KEY@
# SHA-256 of this architecture's program; where it is empty, the signature alone decides.
SLIPWAY_SHA256=
# For so many seconds a server that does not answer is asked again.
SLIPWAY_WAIT=300
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
#!/bin/sh
# Checks a folder with a release of Slipway: that SHA256SUMS is signed by the key you trust, and that the files are those.
#   sh verify.sh -k KEY [-v VERSION] [FOLDER]
#   -k  the public key (RW...), or the file that holds it; from where you trust, not from beside the files
#   -v  demand this version: an old release is signed as well
# Needs OpenSSL 3, base64, sha256sum and what every system has. Status: 0 all is well, 1 something is not, 2 wrong call.
set -eu

# Whoever made the folder chose the names in it.
fail() {
  printf 'verify.sh: %s\n' "$*" | LC_ALL=C tr -c '[:print:]\n' '?' >&2
  exit 1
}
usage() {
  echo "usage: sh verify.sh -k KEY-OR-FILE [-v VERSION] [FOLDER]" >&2
  exit 2
}

key= version=
while getopts k:v: option; do
  case $option in
    k) key=$OPTARG ;;
    v) version=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ -n "$key" ] && [ $# -le 1 ] || usage
read_key() {
  [ -f "$key" ] || fail "the key is none of minisign, and no file"
  key=$(sed -n 2p -- "$key")
}
# What has a key's own form is one, though a file may be named so: somebody may have put it into the folder.
case $key in
  RW*) [ "$(printf %s "$key" | wc -c)" -eq 56 ] || read_key ;;
  *) read_key ;;
esac
CDPATH= cd -- "${1:-.}" || exit 2
[ -f SHA256SUMS ] && [ -f SHA256SUMS.minisig ] || fail "SHA256SUMS and SHA256SUMS.minisig are not both in $(pwd)"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# minisign's forms: a key is "Ed", 8 bytes of id, 32 of key; a signature is "ED", 8 bytes of id, 64 of signature over the
# BLAKE2b-512 of the file; the fourth line signs that signature together with the trusted comment.
decode() { base64 -d >"$1" 2>/dev/null && [ "$(wc -c <"$1")" -eq "$2" ]; }
part() { dd if="$1" bs=1 skip="$2" count="$3" 2>/dev/null; }
printf '%s\n' "$key" | decode "$scratch/key" 42 || fail "the key is none of minisign"
sed -n 2p SHA256SUMS.minisig | decode "$scratch/own" 74 || fail "SHA256SUMS.minisig is no signature of minisign"
sed -n 4p SHA256SUMS.minisig | decode "$scratch/all" 64 || fail "SHA256SUMS.minisig is no signature of minisign"
comment=$(sed -n '3s/^trusted comment: //p' SHA256SUMS.minisig)

[ "$(part "$scratch/own" 0 2)" = ED ] || fail "the signature is of another kind than minisign makes since 0.8"
[ "$(part "$scratch/own" 2 8 | od -An -tx1)" = "$(part "$scratch/key" 2 8 | od -An -tx1)" ] ||
  fail "SHA256SUMS is signed by another key"
{
  printf '\060\052\060\005\006\003\053\145\160\003\041\000'
  part "$scratch/key" 10 32
} >"$scratch/key.der"
part "$scratch/own" 10 64 >"$scratch/signature"
openssl dgst -blake2b512 -binary SHA256SUMS >"$scratch/message" || fail "openssl cannot do BLAKE2b"
{
  cat "$scratch/signature"
  printf '%s' "$comment"
} >"$scratch/commented"
signed() {
  openssl pkeyutl -verify -pubin -keyform DER -inkey "$scratch/key.der" -rawin -in "$1" -sigfile "$2" >/dev/null 2>&1
}
signed "$scratch/message" "$scratch/signature" || fail "the signature does not belong to SHA256SUMS"
signed "$scratch/commented" "$scratch/all" || fail "the trusted comment was changed"
if [ -n "$version" ]; then
  case $comment in
    "slipway $version "*) ;;
    *) fail "this is \"$comment\", not slipway $version" ;;
  esac
fi

checked=0
while read -r sum name; do
  name=${name#\*}
  case $name in
    */* | '') fail "SHA256SUMS names no file of this folder: $name" ;;
  esac
  [ -e "$name" ] || continue
  # To read from a pipe may take for ever.
  [ -f "$name" ] || fail "$name is no file"
  [ "$(sha256sum <"$name")" = "$sum  -" ] || fail "$name is not what was signed"
  checked=$((checked + 1))
done <SHA256SUMS
for name in * .[!.]* ..?*; do
  [ -e "$name" ] || [ -L "$name" ] || continue
  case $name in
    SHA256SUMS | SHA256SUMS.minisig) continue ;;
    # grep would take each line for a name.
    *"
"*) fail "a name of several lines is not among the signed files" ;;
  esac
  cut -c67- SHA256SUMS | grep -Fxq -e "$name" || fail "$name is not among the signed files"
done
[ "$checked" -gt 0 ] || fail "none of the signed files is here"
printf '%s: signature and %s files are right\n' "$comment" "$checked"
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

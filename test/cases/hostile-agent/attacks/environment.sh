# a variable loads no code and no settings into either binary, makes it write nowhere, and reaches no program it starts
printf 'require("fs").writeFileSync("/tmp/loaded", "")\n' >/tmp/evil.cjs
# Whoever opens a pipe that nobody writes to waits, so what is read shows.
mkfifo /tmp/pipe
mkdir /tmp/modules
printf '#cloud-config\n%s\nruncmd: [env >/tmp/environment]\n' "$NO_NODE" >/tmp/user-data
for variable in NODE_OPTIONS='--require /tmp/evil.cjs' NODE_OPTIONS=--inspect=0 OPENSSL_CONF=/tmp/pipe OPENSSL_MODULES=/tmp/modules \
  OPENSSL_ENGINES=/tmp/modules NODE_PATH=/tmp NODE_V8_COVERAGE=/tmp/written \
  NODE_COMPILE_CACHE=/tmp/cache NODE_REDIRECT_WARNINGS=/tmp/written NODE_EXTRA_CA_CERTS=/tmp/pipe SSLKEYLOGFILE=/tmp/written LD_LIBRARY_PATH=/tmp/modules; do
  for binary in slipway slipway-controller; do
    ends env "$variable" "$binary" --version || fail "$binary with $variable: $(cat /tmp/out)"
    grep -q "^[a-z-]*\s*[0-9]" /tmp/out || fail "$binary with $variable: $(cat /tmp/out)"
    ! grep -qi debugger /tmp/out || fail "$binary listens for a debugger"
  done
  ends env "$variable" BASH_ENV=/tmp/evil.sh slipway bootstrap --user-data /tmp/user-data || fail "with $variable: $(cat /tmp/out)"
  ! grep -E "^(${variable%%=*}|BASH_ENV)=" /tmp/environment | grep -v ^NODE_PATH= || fail "$variable reached a command"
  rm -r /var/lib/slipway /tmp/environment
done
[ ! -e /tmp/loaded ] || fail 'code was loaded'
[ -z "$(find /tmp/cache -type f)" ] || fail "$(ls -lR /tmp/cache)"
[ ! -e /tmp/written ] || fail "$(ls -lR /tmp/written)"

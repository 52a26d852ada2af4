# what a command prints moves no cursor and sets no title on the terminal of bootstrap and status
cat >/tmp/user-data <<DATA
#cloud-config
$NO_NODE
runcmd:
- printf '\\033]0;owned\\007\\033[2Jnothing \\342\\200\\256 to see\\n'; printf '\\033[31mon stderr\\n' >&2; exit 3
DATA
bootstrap /tmp/user-data && fail 'a failed command was a success'
cp /tmp/out /tmp/bootstrap.out
ends slipway status || fail "status: $(cat -v /tmp/out)"
grep -q CommandEndedScript /tmp/out || fail "status tells nothing: $(cat -v /tmp/out)"
for file in /tmp/bootstrap.out /tmp/out /run/slipway/outcome.json; do
  ! grep -qP '\x1b|\x07|\x{202e}' $file || fail "$file: $(cat -v $file)"
done
grep -q 'to see' /tmp/bootstrap.out || fail 'what it printed is not there at all'

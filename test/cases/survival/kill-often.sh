# kill-often.sh TIMES: starts the agent again and again and kills it after a random time, until it has come to its end.
# How many times that can be is a matter of luck where a join takes a second: its third command waits for the third of them.
kills=0
while [ "$kills" -lt "$1" ]; do
  [ "$kills" -lt 3 ] || touch /var/tmp/go
  slipway bootstrap >/dev/null 2>&1 & agent=$!
  sleep "$((RANDOM % 2)).$((RANDOM % 8 + 1))"
  # It may have ended by itself just now; only what was really killed counts.
  if kill -KILL $agent 2>/dev/null; then
    ended=0; wait $agent 2>/dev/null || ended=$?
    [ "$ended" = 137 ] && { kills=$((kills + 1)); continue; }
  fi
  break
done
[ "$kills" -gt 2 ] || fail "the agent ended by itself after $kills times"
# Killed as often as that, it has not come to its end yet: now it may.
[ "$kills" -lt "$1" ] || slipway bootstrap >/run/last-bootstrap 2>&1 ||
  fail "the last bootstrap ended with $?: $(cat /run/last-bootstrap)"

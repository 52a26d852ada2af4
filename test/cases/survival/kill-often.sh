# kill-often.sh TIMES: starts the agent again and again and kills it after a random time, until it has come to its end.
# A join takes some 15 s here; kills after a second or so each fall into every step of it.
touch /var/tmp/go
kills=0
while [ "$kills" -lt "$1" ]; do
  slipway bootstrap >/dev/null 2>&1 & agent=$!
  sleep "$((RANDOM % 2)).$((RANDOM % 8 + 1))"
  # It may have ended by itself just now; only what was really killed counts.
  if kill -KILL $agent 2>/dev/null; then
    ended=0; wait $agent 2>/dev/null || ended=$?
    [ "$ended" = 137 ] && { kills=$((kills + 1)); continue; }
  fi
  break
done
[ "$kills" -gt 2 ] || fail "the agent was killed only $kills times"
# Killed as often as that, it has not come to its end yet: now it may.
[ "$kills" -lt "$1" ] || slipway bootstrap >/run/last-bootstrap 2>&1 ||
  fail "the last bootstrap ended with $?: $(cat /run/last-bootstrap)"

# Files that the real age encrypted, in memory only and for the identity of this machine.
age-keygen -o /etc/slipway/age.key 2>/dev/null
RECIPIENT=$(grep -o 'age1.*' /etc/slipway/age.key)
age-keygen -o /tmp/other.key 2>/dev/null
OTHER=$(grep -o 'age1.*' /tmp/other.key)

# Around the chunks of 64 KiB, for one recipient among several, armoured or not.
pairs=()
for bytes in 1 65535 65536 65537 131072 500000; do
  head -c "$bytes" /dev/urandom >"/tmp/plain-$bytes"
  age -r "$OTHER" -r "$RECIPIENT" -o "/tmp/sealed-$bytes" "/tmp/plain-$bytes"
  age -a -r "$RECIPIENT" -o "/tmp/armoured-$bytes" "/tmp/plain-$bytes"
  pairs+=("/etc/age/$bytes=age+file:///tmp/sealed-$bytes" "/etc/age/a-$bytes=age+file:///tmp/armoured-$bytes")
done
printf 'planted-age-5' | age -a -r "$RECIPIENT" >/tmp/short.age
pairs+=("/run/age=age+data:;base64,$(base64 -w0 /tmp/short.age)")
cloud_config "${pairs[@]}"
bootstrap
is "$code" 0 "$(cat /tmp/out)"
for bytes in 1 65535 65536 65537 131072 500000; do
  cmp "/tmp/plain-$bytes" "/etc/age/$bytes"
  cmp "/tmp/plain-$bytes" "/etc/age/a-$bytes"
done
file /run/age 600 planted-age-5

# For somebody else, by a passphrase, cut off, or with no identity here.
printf 'planted-age-6' | age -r "$OTHER" >/tmp/foreign
cloud_config /etc/foreign=age+file:///tmp/foreign
bootstrap
is "$(outcome)" 'SecretUndecryptable []'
head -c 70000 /tmp/sealed-131072 >/tmp/cut
cloud_config /etc/cut=age+file:///tmp/cut
bootstrap
is "$(outcome)" 'SecretUndecryptable []'
rm /etc/slipway/age.key
cloud_config /etc/foreign=age+file:///tmp/foreign
bootstrap --deadline 60
is "$(outcome)" 'SecretNotFound []'
gone /etc/foreign /etc/cut

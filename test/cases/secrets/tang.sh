# A real tang, and what real clevis encrypted for it.
mkdir /var/db-tang
/usr/libexec/tangd-keygen /var/db-tang 2>/dev/null
serve() { socat TCP-LISTEN:7500,bind=127.0.0.1,fork,reuseaddr SYSTEM:'/usr/libexec/tangd /var/db-tang 2>/dev/null' & SERVER=$!; }
serve
until_ok curl -sf http://127.0.0.1:7500/adv
printf 'planted-tang-4' | clevis encrypt tang '{"url": "http://127.0.0.1:7500"}' -y >/tmp/sealed.jwe

cloud_config "/etc/tang=jwe+data:,$(cat /tmp/sealed.jwe)" /etc/tang-2=jwe+file:///tmp/sealed.jwe
bootstrap
is "$code" 0 "$(cat /tmp/out)"
file /etc/tang 600 planted-tang-4
file /etc/tang-2 600 planted-tang-4

# Each try is blinded anew, so half of them take the other sign.
for n in 1 2 3 4 5 6; do
  cloud_config "/etc/tang-$n=jwe+file:///tmp/sealed.jwe"
  bootstrap
  file "/etc/tang-$n" 600 planted-tang-4
done

# Keys that were rotated still open; keys that are gone do not.
/usr/libexec/tangd-rotate-keys -d /var/db-tang >/dev/null 2>&1
rm /etc/tang
cloud_config /etc/tang=jwe+file:///tmp/sealed.jwe
bootstrap
file /etc/tang 600 planted-tang-4
rm /etc/tang
rm /var/db-tang/.*.jwk
bootstrap --deadline 60
is "$(outcome)" 'SecretNotFound []'
gone /etc/tang

kill "$SERVER"
bootstrap --deadline 25
is "$(outcome)" 'SecretStoreUnreachable []'

# What is cut off is told as such.
cut -c1-400 /tmp/sealed.jwe >/tmp/cut.jwe
cloud_config /etc/tang=jwe+file:///tmp/cut.jwe
bootstrap
is "$(outcome)" 'SecretUndecryptable []'

# what write_files finds behind a link gets the content and the mode that are asked, and a user's link leads root nowhere
user erin
mkdir /srv/data
printf 'an old text that is longer than the new one\n' >/srv/data/real
chmod 644 /srv/data/real
ln -s /srv/data/real /etc/linked
echo untouched >/srv/data/victim
chmod 600 /srv/data/victim
as erin 'ln -s /srv/data/victim ~/out; ln -s /srv/data ~/folder'
cat >/tmp/user-data <<DATA
#cloud-config
$NO_NODE
write_files: [{path: /etc/linked, permissions: '0600', content: new}]
DATA
bootstrap /tmp/user-data || fail "$(cat /tmp/out)"
[ "$(cat /srv/data/real)" = new ] || fail "behind the link: $(cat /srv/data/real)"
[ "$(stat -c '%a' /srv/data/real)" = 600 ] || fail "mode $(stat -c '%a' /srv/data/real)"
[ -L /etc/linked ] || fail 'the link has gone'
for path in out folder/victim folder/fresh; do
  printf '#cloud-config\n%s\nwrite_files: [{path: /home/erin/%s, permissions: "0666", content: evil, append: %s}]\n' \
    "$NO_NODE" $path "$([ $path = out ] && echo true || echo false)" >/tmp/user-data
  attempt /tmp/user-data
  [ "$(cat /srv/data/victim) $(stat -c '%a' /srv/data/victim)" = 'untouched 600' ] || fail "$path led root to $(ls -l /srv/data)"
  [ ! -e /srv/data/fresh ] || fail "$path led root to $(ls -l /srv/data)"
done

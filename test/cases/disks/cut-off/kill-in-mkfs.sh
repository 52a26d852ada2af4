# mkfs.ext4 takes its time, and tells each call; the agent is killed while it is at it.
mkdir /opt/real; cp -L /usr/sbin/mkfs.ext4 /opt/real/; rm /usr/sbin/mkfs.ext4
cat >/usr/sbin/mkfs.ext4 <<'END'
#!/bin/sh -e
echo began >>/var/tmp/calls
/opt/real/mkfs.ext4 "$@"
sleep 6
END
chmod 755 /usr/sbin/mkfs.ext4
$APPLY </tmp/user-data >/tmp/killed & agent=$!
until [ -e /var/tmp/calls ]; do kill -0 $agent; sleep 0.1; done
sleep 1; kill -9 $agent

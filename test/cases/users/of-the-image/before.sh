useradd -m -s /bin/sh capi; echo 'capi:$6$sZlWfTsdFqb1yXcM$4J3v1rn1Dd3Eo0zq6XQ0bT0qkcNtbwZzNNy8mB4Nq7wUoCFJ8Y1e6iE4Q9mM7b0n2jvWdKfZ1lV5rG3hYpXaS/' | chpasswd -e
install -d -m 700 -o capi -g capi /home/capi/.ssh
printf '# kept\n%s old-comment\nssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDx kept@image\n' 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK0wmN3Hr5cZk0sPl9gq1pW7vYJc2uT4xR8bDfQeLaMn' >/home/capi/.ssh/authorized_keys
chown capi:capi /home/capi/.ssh/authorized_keys; chmod 640 /home/capi/.ssh/authorized_keys
groupadd present
printf '# image\n\n# User rules for capi\ncapi ALL=(ALL) ALL\n' >/etc/sudoers.d/90-cloud-init-users
chmod 440 /etc/sudoers.d/90-cloud-init-users
sed -i '/includedir/d' /etc/sudoers

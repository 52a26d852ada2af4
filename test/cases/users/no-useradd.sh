rm /usr/sbin/useradd

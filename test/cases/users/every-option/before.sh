mkdir -p /home/admins

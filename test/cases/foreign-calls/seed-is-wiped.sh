has "$(cat /var/lib/cloud/seed/nocloud/user-data)" 'token: .*aaaaaaaaaaaaaaaa'

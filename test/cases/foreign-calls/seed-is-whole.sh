seed=$(cat /var/lib/cloud/seed/nocloud/user-data)
has "$seed" 'token: [a-z0-9]{6}\.[a-z0-9]{16}'
has_no "$seed" 'aaaaaaaaaaaaaaaa'
gone /run/cluster-api/bootstrap-success.complete

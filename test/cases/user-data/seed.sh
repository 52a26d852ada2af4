# The same seed for both: NoCloud in a directory of the image. Standard input is the user data.
seed=/var/lib/cloud/seed/nocloud
mkdir -p $seed
cat >$seed/user-data
printf 'instance-id: i-1\nlocal-hostname: node-1\n' >$seed/meta-data

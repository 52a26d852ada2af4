is "$(cat /var/tmp/count)" $'a\nb\nc\nd\ne' 'each command runs once; what they wrote'
left=$(find /etc /run /var/lib/slipway -name '.slipway-*')
is "$left" '' 'the list of temporary files'

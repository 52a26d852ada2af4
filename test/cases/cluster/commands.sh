# commands.sh BOOT...: runcmd ran once, in one shell for all commands; bootcmd at each boot.
is "$(cat /var/tmp/commands)" $'once\nhello from /var/tmp' 'what runcmd wrote'
is "$(cat /var/tmp/boots)" "$(printf '%s\n' "$@")" 'what bootcmd wrote'
is "$(cat /etc/lab/base64)" plain 'the encoded file'

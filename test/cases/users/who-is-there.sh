cut -d: -f1 /etc/passwd | grep -E '^(nohome|wrongshell|ruled|linked|fine)$'
grep -c ruled /etc/sudoers.d/* || true
ls /etc/authorized_keys || true
visudo -c >/dev/null && echo valid

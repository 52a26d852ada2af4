# Everything below /data: path, kind, mode, owner, size, and the content's digest.
cd /data
find . -printf '/data/%P %y %m %u:%g %s ' \( -type f -exec sha256sum {} \; -o -printf '\n' \) | sed 's/ [.].*//' | sort

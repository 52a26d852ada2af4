sed -i 's/"wipeTable": true, //; s/"wipeFilesystem": true/"wipeFilesystem": false/' /tmp/user-data

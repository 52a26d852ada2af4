cloud-init init --local >/dev/null 2>&1
cloud-init init >/dev/null 2>&1
cloud-init single --name write-files-deferred --frequency always >/dev/null 2>&1

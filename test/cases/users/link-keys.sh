useradd -m linked; ln -s /etc /home/linked/.ssh

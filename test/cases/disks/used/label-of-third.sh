blkid -p -o value -s LABEL -s TYPE $DISK3

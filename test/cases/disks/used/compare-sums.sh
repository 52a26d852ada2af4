# Not a byte of the disks has changed.
sha256sum $DISK1 $DISK2 $DISK3 | cmp - /tmp/sums && echo unchanged

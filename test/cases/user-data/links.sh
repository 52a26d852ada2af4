# What is on the machine before: links of root to a longer file that everybody may read, to nothing, to a directory.
mkdir -p /data/real /data/elsewhere
printf 'a long line that was here before\nand another one\n' >/data/real/long
cp /data/real/long /data/real/appended
chmod 0644 /data/real/*
ln -s real/long /data/through
ln -s /data/real/appended /data/onto
ln -s second /data/first
ln -s real/chained /data/second
ln -s /data/elsewhere /data/folder
ln -s ../../data/real/up /data/real/out

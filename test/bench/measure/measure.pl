# Runs one command and writes what the kernel accounted to it, as one JSON line, to file descriptor 3.
#
# Why Perl: Node.js cannot ask wait4(2) for the usage of another process, GNU time rounds CPU to 10 ms, and polling
# /proc misses the peak. Debian and Ubuntu have perl-base everywhere (it is Essential). The launcher must also be
# small: the kernel carries the memory peak of the forking process over exec, and Perl's 6 MiB lie below anything
# that is measured here.
#
# user, system: microseconds of the command and of every descendant it waited for. rss: KiB, the largest single
# process among them. wall: nanoseconds from before fork to after wait.
use strict;
use warnings;

my ($machine) = (split ' ', `uname -m`);
my %numbers = (x86_64 => [61, 228], aarch64 => [260, 113]);
my $known = $numbers{$machine} or die "measure.pl: the system call numbers of $machine are not known here\n";
my ($wait4, $clock_gettime) = @$known;

open(my $report, '>&=', 3) or die "measure.pl: file descriptor 3 is not open: $!\n";

sub now {
    my $time = "\0" x 16;
    syscall($clock_gettime, 1, $time) == 0 or die "measure.pl: clock_gettime: $!\n";
    my ($seconds, $nanoseconds) = unpack 'qq', $time;
    return $seconds * 1_000_000_000 + $nanoseconds;
}

my $started = now();
my $pid = fork();
die "measure.pl: fork: $!\n" unless defined $pid;
if ($pid == 0) {
    close $report;
    { exec { $ARGV[0] } @ARGV }
    print STDERR "measure.pl: $ARGV[0]: $!\n";
    require POSIX;
    POSIX::_exit(127);
}

my $status = pack 'i', 0;
my $usage = "\0" x 144;
my $waited;
do { $waited = syscall($wait4, $pid, $status, 0, $usage) } while ($waited == -1 && $!{EINTR});
die "measure.pl: wait4: $!\n" if $waited != $pid;
my $wall = now() - $started;
my ($user_s, $user_us, $system_s, $system_us, $rss) = unpack 'q5', $usage;
my $raw = unpack 'i', $status;
printf $report "{\"wall\":%d,\"user\":%d,\"system\":%d,\"rss\":%d,\"status\":%d,\"signal\":%d}\n",
    $wall, $user_s * 1_000_000 + $user_us, $system_s * 1_000_000 + $system_us, $rss, $raw >> 8, $raw & 127;

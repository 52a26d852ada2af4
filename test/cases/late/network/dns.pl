# Every name is the lab's API server; before /run/late/answers is there, nobody gets an answer.
use strict;
use IO::Socket::INET;
my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1:53', Proto => 'udp') or die "cannot listen: $!";
while (defined(my $from = $socket->recv(my $query, 512))) {
  next unless -e '/run/late/answers';
  my ($id, $flags) = unpack 'n n', $query;
  my $end = index($query, "\0", 12) + 5;
  my $question = substr $query, 12, $end - 12;
  my $isA = unpack('n', substr $question, -4, 2) == 1;
  my $answer = $isA ? pack('n n n N n C4', 0xc00c, 1, 1, 30, 4, 10, 99, 0, 1) : '';
  $socket->send(pack('n n n n n n', $id, 0x8180, 1, $isA ? 1 : 0, 0, 0) . $question . $answer);
}

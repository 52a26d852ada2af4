use strict;
use IO::Socket::INET;
# A web server for the files of a directory, one request at a time.
my $socket = IO::Socket::INET->new(LocalAddr => $ARGV[0], Listen => 5, ReuseAddr => 1) or die "listen: $!";
open(my $ready, '>', "$ARGV[1].ready") or die; close $ready;
while (my $client = $socket->accept) {
  my $line = <$client> // '';
  while (my $header = <$client>) { last if $header =~ /^\r?$/ }
  my ($name) = $line =~ m{^GET /([\w-]+) };
  if (defined $name && open(my $file, '<', "$ARGV[1]/$name")) {
    local $/; my $body = <$file>;
    print $client "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ", length $body, "\r\n\r\n", $body;
  } else {
    print $client "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  }
  close $client;
}

# A registry (OCI distribution, to read from) over the folder of an image export. It gives no blob before everybody who is to
# ask at the same time has asked for a manifest: whoever pulls one image after the other waits here for a minute each.
use strict;
use IO::Socket::INET;
my $home = '/root/registry';
my $together = 5;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1:5000', Listen => 50, ReuseAddr => 1) or die "cannot listen: $!";
$SIG{CHLD} = 'IGNORE';
while (my $client = $server->accept) {
  next if fork;
  my $request = <$client> // exit;
  while (defined(my $line = <$client>)) { last if $line =~ /^\r?\n$/ }
  my ($method, $path, $query) = $request =~ m{^(\S+) ([^ ?]*)\??(\S*)};
  my ($file, $type) = place($path, $query);
  answer($client, $method, $file, $type);
  exit;
}

sub place {
  my ($path, $query) = @_;
  my ($host) = $query =~ /ns=([^&]+)/;
  if ($path =~ m{^/v2/(.+)/manifests/([^/:]+)$}) {
    note("asked-$host-$1");
    my $digest = content("$home/tags/$host/$1:$2") // return;
    return blob($digest), 1;
  }
  return blob($1), 1 if $path =~ m{^/v2/.+/manifests/(sha256:[0-9a-f]+)$};
  return unless $path =~ m{^/v2/.+/blobs/(sha256:[0-9a-f]+)$};
  note("alone") unless all_asked();
  return blob($1), 0;
}

sub all_asked {
  for (1 .. 600) {
    return 1 if -e "$home/all-asked";
    my @asked = glob "$home/asked-*";
    note('all-asked'), return 1 if @asked >= $together;
    select undef, undef, undef, 0.1;
  }
  return 0;
}

sub blob { my ($digest) = @_; $digest =~ s/:/\//; "$home/blobs/$digest" }

sub note {
  my ($name) = @_;
  $name =~ s{/}{-}g;
  open my $file, '>>', "$home/$name" or die $!;
  print $file "x\n";
}

sub content {
  open my $file, '<', shift or return;
  local $/;
  <$file>;
}

sub answer {
  my ($client, $method, $file, $isManifest) = @_;
  if (!defined $file || !-e $file) {
    print $client "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    return;
  }
  my $type = 'application/octet-stream';
  if ($isManifest && content($file) =~ /"mediaType":\s*"([^"]+(?:index|list|manifest)[^"]*)"/) { $type = $1 }
  my $digest = 'sha256:' . ($file =~ m{([^/]+)$})[0];
  print $client "HTTP/1.1 200 OK\r\nContent-Type: $type\r\nDocker-Content-Digest: $digest\r\n"
    . 'Content-Length: ' . (-s $file) . "\r\nConnection: close\r\n\r\n";
  return if $method eq 'HEAD';
  open my $from, '<:raw', $file or die $!;
  while (read $from, my $part, 65536) { print $client $part }
}

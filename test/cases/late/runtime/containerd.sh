#!/bin/bash
# containerd whose CRI plugin is not there for a minute, nor before somebody has looked, although its socket is and systemd calls
# it active.
if mkdir /run/late; then
  printf 'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n' >/run/late/without-cri.toml
  containerd --config /run/late/without-cri.toml &
  sleep 60
  until [ -e /run/late/seen ]; do sleep 0.2; done
  kill $!
  wait
fi
exec containerd

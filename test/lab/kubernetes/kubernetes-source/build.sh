#!/bin/sh
# Builds the lab's Kubernetes from Debian's source package, inside a Debian root with Go and a C compiler.
#   /in     the source package (.dsc and its parts), Debian's reflect2 package, and this directory as /in/lab
#   /build  scratch: source, Go's cache (2 GB)       /out  the binaries        arguments: which programs of Kubernetes
set -eu
VERSION=v1.20.2

unpack() {
  [ -d /build/source ] || dpkg-source --no-check --extract /in/kubernetes_*.dsc /build/source
  # Go 1.18 and later crash in the first map that the vendored modern-go/reflect2 1.0.1 encodes; Debian's is newer.
  dpkg-deb --extract /in/golang-github-modern-go-reflect2-dev_*.deb /build/reflect2
  rm -rf /build/source/vendor/github.com/modern-go/reflect2
  cp -r /build/reflect2/usr/share/gocode/src/github.com/modern-go/reflect2 /build/source/vendor/github.com/modern-go/
  mkdir -p /build/source/cmd/crictl
  cp /in/lab/crictl/main.go /build/source/cmd/crictl/
}

# The go.mod of the source package wants updates that only a network could answer: so GOPATH mode, through a link.
go_path_mode() {
  export GOCACHE=/build/gocache GOPATH=/build/gopath GO111MODULE=off GOFLAGS= CGO_ENABLED=0
  mkdir -p $GOPATH/src/k8s.io
  ln -sfn /build/source $GOPATH/src/k8s.io/kubernetes
  cd $GOPATH/src/k8s.io/kubernetes
}

# kube-apiserver needs a generated file that the package lacks; the others do not.
openapi() {
  [ ! -e pkg/generated/openapi/zz_generated.openapi.go ] || return 0
  go build -buildvcs=false -o /build/openapi-gen k8s.io/kubernetes/vendor/k8s.io/kube-openapi/cmd/openapi-gen
  packages=$(find ./cmd ./pkg ./plugin ./vendor/k8s.io/ -follow -name '*.go' -not -path '*/vendor/*/vendor/*' -not -name '*_test.go' \
      -not -path '*/testdata/*' -exec grep -l '^// *+k8s:openapi-gen=' {} + | xargs -n1 dirname | sed 's#^\./##' \
    | grep -vE '^vendor/k8s.io/(code-generator|sample-apiserver|gengo|kube-openapi)' | LC_ALL=C sort -u \
    | sed 's#^#k8s.io/kubernetes/#' | paste -sd,)
  /build/openapi-gen --logtostderr -i "$packages" -p k8s.io/kubernetes/pkg/generated/openapi -O zz_generated.openapi \
    -h vendor/k8s.io/code-generator/hack/boilerplate.go.txt -r /build/openapi-violations.txt
}

build() {
  flags='-s -w'
  for package in component-base/version client-go/pkg/version; do
    for pair in gitVersion=$VERSION gitMajor=1 gitMinor=20 gitTreeState=clean gitCommit=faecb196815e248d3ecfb03c680a4507229c2a56 buildDate=2021-01-13T13:20:00Z; do
      flags="$flags -X k8s.io/kubernetes/vendor/k8s.io/$package.$pair"
    done
  done
  for name in "$@"; do
    echo "building $name"
    case $name in
      pause) gcc -Os -static -Wall -Werror -s -o /out/pause /in/lab/pause.c ;;
      *)
        [ "$name" != kube-apiserver ] || openapi
        nice -n 10 go build -buildvcs=false -trimpath -tags providerless -ldflags "$flags" -o "/out/$name" "k8s.io/kubernetes/cmd/$name"
        ;;
    esac
  done
}

if [ "$*" != pause ]; then
  unpack
  go_path_mode
fi
build "$@"

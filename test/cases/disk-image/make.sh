# Runs in a root that has the recipe's tools, with a network: the image in both forms, by the recipe as it is shipped.
export SOURCE_DATE_EPOCH=1700000000
for form in raw qcow2; do
  sh /recipe/build.sh -d /work/slipway_*.deb -m /work/debian.sources -k /case/added.sh "/work/node.$form"
done

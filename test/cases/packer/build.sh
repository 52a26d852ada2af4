# Real Packer and Ansible, against an sshd in the image that lies in /layers and changes in /changes. Prints what Ansible
# counted and what goss says.
fail() { echo "$*" >&2; exit 1; }
export HOME=/root CHECKPOINT_DISABLE=1 PACKER_CACHE_DIR=/tmp/packer-cache PACKER_CONFIG_DIR=/tmp
# A busy machine is no fault.
export ANSIBLE_TIMEOUT=120
cd /tmp
# Nobody answers questions about names here.
hostname localhost
mkdir -p /image /work/of-image
mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=/work/changes,workdir=/work/of-image" /image
mount -t proc proc /image/proc
mount --rbind /dev /image/dev
mount -t tmpfs tmpfs /image/run
mkdir -p /image/run/sshd
ssh-keygen -q -t ed25519 -N '' -f /tmp/key
cp /tmp/key.pub /image/run/authorized
chroot /image /usr/sbin/sshd -D -p 2299 -o ListenAddress=127.0.0.1 -o UsePAM=no -o PidFile=none -o StrictModes=no \
  -o AuthorizedKeysFile=/run/authorized -o PermitRootLogin=yes -o UseDNS=no &

# image-builder demands 2.18 or newer; Debian's of today runs with the Python that is here.
newer='PYTHONPATH=/ansible/usr/lib/python3/dist-packages exec python3 /ansible/usr/bin/ansible-playbook "$@"'
printf '#!/bin/sh\n%s\n' "$newer" >/usr/local/bin/ansible-playbook
chmod 755 /usr/local/bin/ansible-playbook
SHA256=$(sha256sum </src/slipway/dist/slipway-linux-x64 | cut -d' ' -f1)
packer_build() { # the shipped folder, as it is, and settings
  packer build -only=null.slipway -color=false -var slipway_binary=/src/slipway/dist/slipway-linux-x64 -var slipway_mode=both \
    -var ssh_port=2299 -var ssh_private_key_file=/tmp/key "$@" /src/slipway/packer >/tmp/log 2>&1
}

packer validate -syntax-only /src/slipway/packer >/tmp/log || fail "$(cat /tmp/log)"
packer validate -var slipway_binary=x -var slipway_sha256=x -var ssh_private_key_file=/tmp/key -var azure_client_id=x \
  -var azure_client_secret=x -var azure_tenant_id=x -var vsphere_username=x -var vsphere_password=x \
  -var qemu_image=/src/slipway/package.json /src/slipway/packer >/tmp/log || fail "$(cat /tmp/log)"

# The README's own line for Ansible alone means a host.
alone=$(sed -n 's/.*`\(ansible-playbook [^`]*\)`.*/\1/p' /src/slipway/packer/README.md | sed 's/HOST/127.0.0.1/')
(cd /src/slipway/packer && sh -c "$alone --list-hosts") >/tmp/log 2>&1 || fail "$(cat /tmp/log)"
grep -q 'hosts (1):' /tmp/log || fail "$(cat /tmp/log)"

if packer_build -var "slipway_sha256=$(printf %064d 0)"; then fail "a program with another digest was taken"; fi
grep -q 'it has [0-9a-f]\{64\})' /tmp/log || fail "$(cat /tmp/log)"
if packer_build -var "slipway_sha256=$SHA256" -var slipway_binary=slipway-linux-x64; then fail "a relative path was taken"; fi
grep -q 'must be an absolute path' /tmp/log || fail "$(cat /tmp/log)"
[ ! -e /image/usr/local/bin/slipway ] || fail "it was copied nevertheless"
printf '#!/bin/sh\necho "{ \\"version\\": \\"99.0.0\\" }"\n' >/image/usr/local/bin/slipway
chmod 755 /image/usr/local/bin/slipway
if packer_build -var "slipway_sha256=$SHA256"; then fail "it went over a newer one"; fi
grep -q '99.0.0, newer than' /tmp/log || fail "$(cat /tmp/log)"
[ ! -e /image/usr/local/bin/slipway.new ] || fail "the copy stays"
rm /image/usr/local/bin/slipway

PATH=/usr/local/bin:$PATH
echo "first: ansible $(ansible-playbook --version | sed -n '1s/.*\[core \(.*\)\]/\1/p')"
packer_build -var "slipway_sha256=$SHA256" || fail "$(cat /tmp/log)"
grep -o 'ok=.*failed=[0-9]*' /tmp/log
rm /usr/local/bin/ansible-playbook; hash -r
echo "second: ansible $(ansible-playbook --version | sed -n '1s/.*\[core \(.*\)\]/\1/p')"
packer_build -var "slipway_sha256=$SHA256" || fail "$(cat /tmp/log)"
grep -o 'ok=.*failed=[0-9]*' /tmp/log

# As image-builder's node.yml includes it, with the shipped variables, and with a Python that is in the image alone.
cat >/tmp/node.yml <<'NODE'
- hosts: all
  become: true
  tasks:
    - ansible.builtin.include_role: {name: "{{ item }}"}
      loop: "{{ node_custom_roles_post.split() }}"
NODE
sed "s/@SHA256@/$SHA256/; s/mode=shim/mode=both/" /src/slipway/packer/image-builder.json >/tmp/image-builder.json
user_vars=$(python3 -c 'import json; print(json.load(open("/tmp/image-builder.json"))["ansible_user_vars"])')
mkdir -p /image/opt/bin
ln -s /usr/bin/python3 /image/opt/bin/python
echo "as image-builder:"
echo "default ansible_host=127.0.0.1 ansible_port=2299 ansible_user=root ansible_ssh_private_key_file=/tmp/key" >/tmp/hosts
ANSIBLE_HOST_KEY_CHECKING=False ansible-playbook -i /tmp/hosts --extra-vars "$user_vars" \
  --extra-vars @/tmp/image-builder.json --extra-vars 'sysusrlocal_prefix=/usr/local ansible_python_interpreter=/opt/bin/python' \
  /tmp/node.yml >/tmp/log 2>&1 ||
  fail "$(cat /tmp/log)"
grep -o 'ok=.*failed=[0-9]*' /tmp/log

rm -r /image/opt/bin
cp /goss/usr/bin/goss /src/slipway/packer/goss/goss-slipway.yaml /image/run/
chroot /image /usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin /run/goss -g /run/goss-slipway.yaml validate --no-color

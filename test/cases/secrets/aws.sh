# Real requests of AWS' protocols to moto, with the credentials that the instance's metadata service gives.
ip addr add 169.254.169.254/32 dev lo
PYTHONPATH=/moto/usr/lib/python3/dist-packages python3 -c 'from moto.server import main; main(["-H", "127.0.0.1", "-p", "5000"])' >/tmp/moto 2>&1 &
python3 /checkout/test/cases/secrets/metadata.py >/tmp/metadata 2>&1 &
until_ok curl -sf http://127.0.0.1:5000/moto-api/
until_ok curl -sf -X PUT -H 'x-aws-ec2-metadata-token-ttl-seconds: 60' http://169.254.169.254/latest/api/token

cat >/tmp/aws.py <<'END'
import base64, boto3, sys
def client(name):
    return boto3.client(name, 'eu-central-1', endpoint_url='http://127.0.0.1:5000', aws_access_key_id='a', aws_secret_access_key='b')
secrets, ssm, kms = client('secretsmanager'), client('ssm'), client('kms')
if sys.argv[1] == 'make':
    secrets.create_secret(Name='prod/db', SecretString='{"user": "u", "password": "planted-manager-1"}')
    secrets.create_secret(Name='binary', SecretBinary=bytes(range(256)) * 32)
    ssm.put_parameter(Name='/prod/token', Value='planted-parameter-2', Type='SecureString')
    key = kms.create_key()['KeyMetadata']['KeyId']
    sealed = kms.encrypt(KeyId=key, Plaintext=b'planted-kms-3')['CiphertextBlob']
    open('/tmp/sealed', 'wb').write(sealed)
    print(base64.b64encode(sealed).decode())
else:
    names = [secret['Name'] for secret in secrets.list_secrets()['SecretList']]
    names += [parameter['Name'] for parameter in ssm.describe_parameters()['Parameters']]
    print(' '.join(sorted(names)))
END
KMS=$(python3 /tmp/aws.py make)

DB='aws-secretsmanager:///prod/db?field=password'
TOKEN='aws-ssm://eu-central-1/prod/token'
cloud_config "/etc/db=$DB" "/etc/token=$TOKEN" "/etc/kms=aws-kms+data:;base64,$KMS" /etc/kms-2=aws-kms+file:///tmp/sealed \
  /etc/binary=aws-secretsmanager:///binary
planned=$(slipway plan --user-data /tmp/user-data)
has "$planned" "fetch /etc/db 0600 root:root from aws-secretsmanager:///prod/db\?field=password"
has_no "$planned" "$PLANTED|${KMS:0:40}"
bootstrap
is "$code" 0 "$(cat /tmp/out)"
file /etc/db 600 planted-manager-1
file /etc/token 600 planted-parameter-2
file /etc/kms 600 planted-kms-3
file /etc/kms-2 600 planted-kms-3
is "$(sha256sum </etc/binary)" "$(python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)) * 32)' | sha256sum)"
# Looked for in the files that hold them too, so that a search which finds nothing at all is no proof.
is "$(holding /etc /var/lib /run /tmp | grep -vx /tmp/aws.py | sort | tr '\n' ' ')" '/etc/db /etc/kms /etc/kms-2 /etc/token ' 'what holds a secret'
rm /etc/db /etc/token

# The same out of a program: its output has no secret either.
cloud_config "/etc/db=$DB"
printf 'runcmd: ["cat /etc/db; echo; base64 /etc/db"]\n' >>/tmp/user-data
bootstrap
is "$code" 0 "$(cat /tmp/out)"
has_no "$(cat /tmp/out)" "$(base64 /etc/db | cut -c1-16)"

# What is not there, and a ciphertext that was changed, are told by their codes, and nothing is written.
rm -f /etc/db
cloud_config /etc/db=aws-secretsmanager:///prod/none
bootstrap --deadline 60
is "$(outcome)" 'SecretNotFound []'
gone /etc/db
cloud_config "/etc/kms-3=aws-kms+data:;base64,QUJDRA=="
bootstrap --deadline 60
is "$(outcome)" 'SecretUndecryptable []'
gone /etc/kms-3

# Ignition, with a hash; the document that it converts to; and what is asked for is deleted when all is done.
SUM=$(printf planted-manager-1 | sha256sum | cut -d' ' -f1)
ignition() { printf '{"ignition": {"version": "3.4.0"}, "storage": {"files": [
  {"path": "/etc/db", "overwrite": true, "contents": {"source": "%s%s", "verification": {"hash": "sha256-%s"}}},
  {"path": "/etc/token", "mode": 416, "overwrite": true, "contents": {"source": "%s%s"}}]}}' "$DB" "$1" "$SUM" "$TOKEN" "$2" >/tmp/user-data; }
ignition '' ''
slipway convert /tmp/user-data >/tmp/converted
mv /tmp/converted /tmp/user-data
bootstrap
is "$code" 0 "$(cat /tmp/out)"
file /etc/db 600 planted-manager-1
file /etc/token 640 planted-parameter-2
is "$(python3 /tmp/aws.py list)" '/prod/token binary prod/db'
rm /etc/db /etc/token
ignition '&delete=true' '?delete=true'
bootstrap
is "$code" 0 "$(cat /tmp/out)"
is "$(outcome)" 'None []'
file /etc/db 600 planted-manager-1
is "$(python3 /tmp/aws.py list)" binary

# No secret goes into an image.
cloud_config /etc/db=aws-secretsmanager:///binary
mkdir /tmp/image
status 2 slipway apply --root /tmp/image /tmp/user-data 2>/tmp/applied
has "$(cat /tmp/applied)" 'write 1 file: this needs a running machine'
slipway apply --root /tmp/image --partly /tmp/user-data >/tmp/applied
has "$(cat /tmp/applied)" 'left to the machine: write 1 file'
gone /tmp/image/etc/db

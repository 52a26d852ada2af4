# Objects of S3 that Ignition names, by the role of the instance; moto verifies each signature and who may read what.
ip addr add 169.254.169.254/32 dev lo
mkdir /tmp/tls
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=moto -keyout /tmp/tls/key -out /tmp/tls/ca 2>/tmp/tls/made \
  -addext 'subjectAltName=DNS:*.s3.dualstack.us-east-1.amazonaws.com,DNS:*.s3.dualstack.eu-central-1.amazonaws.com'
for host in private.s3.dualstack.us-east-1 private.s3.dualstack.eu-central-1; do
  echo "127.0.0.1 $host.amazonaws.com" >>/etc/hosts
done
serve() { PYTHONPATH=/moto/usr/lib/python3/dist-packages INITIAL_NO_AUTH_ACTION_COUNT=$1 python3 -c 'import sys
from moto.server import main
main(sys.argv[1:])' -H 127.0.0.1 -p 443 -s -c /tmp/tls/ca -k /tmp/tls/key >/tmp/moto 2>&1 & }
cat >/tmp/fill.py <<'END_OF_PYTHON'
import boto3, json
def client(name):
    return boto3.client(name, 'eu-central-1', endpoint_url='https://127.0.0.1', verify=False, aws_access_key_id='a', aws_secret_access_key='b')
s3, iam = client('s3'), client('iam')
policy = {'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', 'Action': ['s3:GetObject', 's3:GetObjectVersion', 's3:ListBucket'], 'Resource': '*'}]}
s3.create_bucket(Bucket='private', CreateBucketConfiguration={'LocationConstraint': 'eu-central-1'})
s3.put_bucket_versioning(Bucket='private', VersioningConfiguration={'Status': 'Enabled'})
first = s3.put_object(Bucket='private', Key='dir/a b~.txt', Body=b'first')['VersionId']
s3.put_object(Bucket='private', Key='dir/a b~.txt', Body=b'second')
s3.put_object(Bucket='private', Key='image', Body=bytes(range(256)) * 40000)
config = {'ignition': {'version': '3.4.0'}, 'storage': {'files': [{'path': '/etc/merged', 'contents': {'source': 'data:,planted-merged-7'}}]}}
s3.put_object(Bucket='private', Key='config.ign', Body=json.dumps(config).encode())
iam.create_user(UserName='node')
iam.put_user_policy(UserName='node', PolicyName='read', PolicyDocument=json.dumps(policy))
key = iam.create_access_key(UserName='node')['AccessKey']
json.dump({'Code': 'Success', 'AccessKeyId': key['AccessKeyId'], 'SecretAccessKey': key['SecretAccessKey']}, open('/tmp/role', 'w'))
print(first)
END_OF_PYTHON
# So many calls make what is there; from then on moto holds each signature against the key of its user.
serve 9
until_ok curl -skf https://127.0.0.1/moto-api/
VERSION=$(python3 -W ignore /tmp/fill.py)
cat >/tmp/metadata.py <<'END_OF_PYTHON'
import http.server
class Metadata(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        self.answer(200, b'token')
    def do_GET(self):
        told = {'/latest/meta-data/iam/security-credentials/': b'node', '/latest/meta-data/placement/region': b'us-east-1',
                '/latest/meta-data/iam/security-credentials/node': open('/tmp/role', 'rb').read()}
        self.answer(200 if self.path in told else 404, told.get(self.path, b''))
    def answer(self, status, body):
        self.send_response(status)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(('169.254.169.254', 80), Metadata).serve_forever()
END_OF_PYTHON
python3 /tmp/metadata.py >/tmp/metadata 2>&1 &
until_ok curl -s -X PUT http://169.254.169.254/latest/api/token

SUM=$(python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)) * 40000)' | sha512sum | cut -d' ' -f1)
CA=$(base64 -w0 /tmp/tls/ca)
# ignition SOURCE...: each as /etc/1, /etc/2 and so on
ignition() {
  local files='' number=0 source
  for source; do
    number=$((number + 1))
    files="$files${files:+,}{\"path\": \"/etc/$number\", \"overwrite\": true, \"contents\": {\"source\": \"$source\"}}"
  done
  printf '{"ignition": {"version": "3.4.0", "config": {"merge": [{"source": "s3://private/config.ign"}]}, "security": {"tls": {"certificateAuthorities": [
    {"source": "data:;base64,%s"}]}}}, "storage": {"files": [%s,
    {"path": "/etc/image", "overwrite": true, "contents": {"source": "arn:aws:s3:::private/image", "verification": {"hash": "sha512-%s"}}}]}}' \
    "$CA" "$files" "$SUM" >/tmp/user-data
}
ignition 's3://private/dir/a%20b~.txt' "s3://private/dir/a%20b~.txt?versionId=$VERSION"
bootstrap --deadline 300
is "$code" 0 "$(cat /tmp/out) $(tail -5 /tmp/moto)"
is "$(cat /etc/1 /etc/2)" secondfirst
is "$(sha512sum </etc/image | cut -d' ' -f1)" "$SUM"
file /etc/merged 644 planted-merged-7

# Nobody else's key opens it, nor does none.
sed -i 's/"SecretAccessKey": "./"SecretAccessKey": "x/' /tmp/role
ignition s3://private/dir/none
bootstrap --deadline 60
is "$code" 2 "$(cat /tmp/out)"
has "$(cat /tmp/out)" 'merge.0.source was refused: cannot fetch https://private.s3.dualstack.us-east-1.amazonaws.com/config.ign: the server returned status 403'

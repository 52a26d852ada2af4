import { gzipSync } from 'node:zlib';

/** User data whose files real cloud-init and Slipway must write alike, all below /data. */
const zipped = gzipSync('compressed\n').toString('base64');

const files = `write_files:
- path: /data/plain
  content: one line
- path: /data/block
  content: |
    first

      indented
    last


- path: /data/kept
  content: |+
    text

- path: /data/folded
  content: >
    a
    b

    c
- path: /data/empty
- path: /data/mode
  permissions: '0750'
  owner: nobody:nogroup
  content: x
- path: /data/number
  permissions: 0600
  content: x
- path: /data/sticky
  permissions: '1755'
  owner: nobody
  content: x
- path: /data/deep/er/file
  permissions: '0400'
  content: "caf\\u00e9 \\x41\\t\\n"
- path: /data/b64
  encoding: b64
  content: aGVsbG8gd29ybGQK
- path: /data/b64-lines
  encoding: base64
  content: |
    aGVsbG8g
    d29ybGQK
- path: /data/gz
  encoding: gz+b64
  content: ${zipped}
- path: /data/gzip
  encoding: gzip+base64
  content: ${zipped}
- path: /data/binary
  encoding: gzip
  content: !!binary ${zipped}
- path: /data/unknown
  encoding: rot13
  content: as it stands
- path: /data/twice
  content: first
- path: /data/twice
  permissions: '0600'
  content: second
- path: /data/log
  content: "one\\n"
- path: /data/log
  append: true
  content: "two\\n"
- path: /data/x/../normal
  content: x
- path: /data/deferred
  defer: true
  content: late
`;

const wrap = (text: string): string => text.replace(/(.{64})/g, '$1\n');

export const DOCUMENTS: Readonly<Record<string, string | Buffer>> = {
  plain: `#cloud-config\n${files}`,
  'with CRLF': `#cloud-config\n${files}`.replaceAll('\n', '\r\n'),
  compressed: gzipSync(`#cloud-config\n${files}`),
  template: `## template: jinja
#cloud-config
{% set base = '/data/' ~ v1.cloud_id %}
write_files:
{% for name in ['a', 'b'] %}
- path: {{ base }}/{{ name }}
  content: |
    {{ ds.meta_data.instance_id }} {{ v1.local_hostname | upper }} {{ instance_id }}
    {{ ds.meta_data['local-hostname'] }} {{ ds.meta_data.nope }} {{ loop.index }}
{% endfor %}
- path: /data/raw
  content: "{% raw %}{{ .Names }}{% endraw %}"
`,
  multipart: `Content-Type: multipart/mixed; boundary="==B=="
MIME-Version: 1.0

--==B==
Content-Type: text/cloud-config; charset="utf-8"
Content-Transfer-Encoding: base64

${wrap(Buffer.from('#cloud-config\nwrite_files:\n- {path: /data/first, content: replaced}\n').toString('base64'))}

--==B==
Content-Type: text/plain
Content-Transfer-Encoding: quoted-printable

#cloud-config
write_files:
- path: /data/second
  content: "a=3Db caf=C3=A9 joined =
line"

--==B==--
`,
};

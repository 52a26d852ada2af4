import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { insertIntoCloudConfig } from './cloud-config.ts';

const FILE = { path: '/etc/slipway/token', mode: 0o600, content: 'slwm.{{ secret }}' };
const ENTRY = {
  path: '/etc/slipway/token',
  owner: 'root:root',
  permissions: '0600',
  encoding: 'base64',
  content: Buffer.from(FILE.content).toString('base64'),
};

/** As Cluster API's kubeadm provider writes it. */
const RENDERED = `## template: jinja
#cloud-config

write_files:
-   path: /run/kubeadm/kubeadm-join-config.yaml
    owner: root:root
    permissions: '0640'
    content: |
      ---
      apiVersion: kubeadm.k8s.io/v1beta4
      nodeRegistration:
        name: '{{ ds.meta_data.local_hostname }}'
-   path: /run/cluster-api/placeholder
    owner: root:root
    permissions: '0640'
    content: "This placeholder file is used to create the /run/cluster-api sub directory"
runcmd:
  - 'kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml  && echo success > /run/cluster-api/bootstrap-success.complete'
`;

/** Each line repeats the one before nine times. */
function bomb(levels: number): string {
  const line = (level: number): string =>
    `l${level}: &l${level} [${Array(9).fill(level === 0 ? 'x' : `*l${level - 1}`)}]`;
  return Array.from({ length: levels }, (_, level) => line(level)).join('\n');
}

function inserted(text: string): string {
  const insertion = insertIntoCloudConfig(text, [FILE]);
  if (insertion.kind !== 'inserted') throw new Error(JSON.stringify(insertion));
  return insertion.text;
}

describe('insertIntoCloudConfig', () => {
  it("adds the file before the user's, and leaves every line as it was", () => {
    const text = inserted(RENDERED);
    const lines = text.split('\n');
    expect(RENDERED.split('\n').every((line) => lines.includes(line))).toBe(true);
    expect(lines.filter((line) => !RENDERED.split('\n').includes(line))).toHaveLength(5);
    const [before, after] = [load(RENDERED), load(text)] as [
      Record<string, unknown[]>,
      Record<string, unknown[]>,
    ];
    expect(after).toEqual({ ...before, write_files: [ENTRY, ...(before.write_files ?? [])] });
  });

  it('writes nothing that jinja would replace', () => {
    const added = inserted(RENDERED).split('\n').slice(0, 9).join('\n');
    expect(added).not.toMatch(/\{[{%#]/);
  });

  it.each([
    ['no write_files', '#cloud-config\nruncmd:\n- echo\n'],
    ['nothing but the header', '#cloud-config\n'],
    ['no last newline', '#cloud-config\nhostname: a'],
    ['a last text without its end', '#cloud-config\nx: |\n  abc'],
    ['an indented list', '#cloud-config\nwrite_files:\n  - path: /a\n    content: b\n'],
    [
      'a comment before the list',
      '#cloud-config\nwrite_files: # mine\n# first\n\n- path: /a\n  content: b\n',
    ],
    ['a last key', '#cloud-config\nhostname: a\nwrite_files:\n- path: /a\n'],
    [
      'a text that looks like the key',
      '#cloud-config\nwrite_files:\n- path: /a\n  content: |\n   write_files:\n   - b\n',
    ],
    [
      'jinja behind the list',
      '## template: jinja\n#cloud-config\nwrite_files:\n- path: /a\n{% if a %}\nhostname: b\n{% endif %}\n'.replace(
        /\{%.*%\}\n/g,
        '',
      ),
    ],
    ['lines that end as on Windows', '#cloud-config\r\nwrite_files:\r\n- path: /a\r\n  content: b\r\n'],
  ])('adds to a document with %s', (_name, text) => {
    const [before, after] = [/^[^#]/m.test(text) ? load(text) : {}, load(inserted(text))] as Record<
      string,
      unknown[]
    >[];
    expect(after).toEqual({ ...before, write_files: [ENTRY, ...(before?.write_files ?? [])] });
  });

  it.each([
    ['a script', '#!/bin/sh\necho'],
    ['MIME', 'Content-Type: multipart/mixed; boundary="a"\n\n--a\n'],
    ['a list in braces', '#cloud-config\nwrite_files: [{path: /a}]\n'],
    ['a mapping', '#cloud-config\nwrite_files:\n  a: b\n'],
    ['a list of values', '#cloud-config\n- a\n'],
    ['broken YAML', '#cloud-config\nwrite_files:\n- path: "a\n'],
    [
      'a list that jinja may leave out',
      '## template: jinja\n#cloud-config\n{% if false %}\nwrite_files:\n- path: /a\n{% endif %}\n',
    ],
    ['jinja around its end', '## template: jinja\n#cloud-config\n{% if false %}\nhostname: a\n'],
    ['a merged list', '#cloud-config\nx: &a\n  write_files:\n  - {path: /user, content: b}\n<<: *a\n'],
    [
      'a line that ends for some readers',
      '#cloud-config\nhostname: a # c\u2028write_files: [{path: /user, content: b}]\n',
    ],
    ['a lone carriage return', '#cloud-config\n#\rwrite_files: [{path: /user, content: b}]\n'],
    ['jinja that joins lines', '## template: jinja\n#cloud-config\nhostname: {{ v1.x -}}\n'],
    [
      'a comment of jinja',
      '## template: jinja\n#cloud-config\nhostname: a\n# {#\nwrite_files:\n- path: /user\n# #}\n',
    ],
    ['several documents', '#cloud-config\n---\nhostname: a\n'],
    ['a text that repeats itself', `#cloud-config\n${bomb(8)}\n`],
    ['a very long text', `#cloud-config\n#${'a'.repeat(600_000)}\n`],
    ['an alias of the list', '#cloud-config\nfiles: &a\n- path: /a\nwrite_files: *a\n'],
  ])('leaves %s as it is', (_name, text) => {
    expect(insertIntoCloudConfig(text, [FILE])).toMatchObject({ kind: 'unsupported' });
  });

  it('reads in linear time what looks like the beginning of a value of jinja', () => {
    const text = `## template: jinja\n#cloud-config\nwrite_files:\n- path: /a\n  content: '${'{{'.repeat(100_000)}'\n`;
    expect(insertIntoCloudConfig(text, [FILE]).kind).toBe('inserted');
  });

  it('adds nothing twice', () => {
    expect(insertIntoCloudConfig(inserted(RENDERED), [FILE])).toEqual({ kind: 'present' });
  });
});

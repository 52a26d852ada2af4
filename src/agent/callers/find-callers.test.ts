import { describe, expect, it } from 'vitest';
import { readDocument } from '../userdata/fixtures/read-document.ts';
import { readUserData } from '../userdata/read-user-data.ts';
import { findCallers, nodeProspect } from './find-callers.ts';

const documentOf = (text: string) => readDocument(Buffer.from(text), { source: 'test', metaData: {} });

const script = (path: string, body: string, mode = "permissions: '0755'\n  ") =>
  `- path: ${path}\n  ${mode}content: |\n${body.replace(/^/gm, '    ')}\n`;
const UNIT = '[Service]\nType=oneshot\nExecStart=/usr/bin/kubeadm join --config /a';
const config = (files: string, runcmd = '') =>
  `#cloud-config\n${files === '' ? '' : `write_files:\n${files}`}${runcmd === '' ? '' : `runcmd:\n${runcmd}`}`;

const found = (text: string, document = documentOf(text)) => {
  const callers = findCallers(document);
  return (
    callers && {
      verb: callers.verb,
      callers: callers.callers.map(({ kind, name }) => `${kind} ${name}`),
      commands: [...callers.commands],
      units: callers.units,
      scripts: callers.scripts,
      logs: callers.logs,
    }
  );
};

describe('findCallers', () => {
  it('finds a script of write_files and the command that runs it', () => {
    const files = script('/opt/j.sh', '#!/bin/sh\nkubeadm join --config /nope.yaml\necho joined');
    expect(found(config(files, '- echo first\n- /opt/j.sh\n'))).toEqual({
      verb: 'join',
      callers: ['file /opt/j.sh'],
      commands: [1],
      units: [],
      scripts: ['/opt/j.sh'],
      logs: [],
    });
  });

  it('finds a script that is no program by itself where a command names it', () => {
    const files = script('/opt/j', 'kubeadm init --config /a', '');
    expect(found(config(files, '- bash -e "/opt/j"\n'))).toMatchObject({ verb: 'init', commands: [0] });
    expect(found(config(files, '- cat /opt/j.txt\n'))).toBeUndefined();
  });

  it('follows a script that a unit runs and a command starts', () => {
    const files =
      script('/opt/j.sh', '#!/bin/sh\nkubeadm join --config /a') +
      script('/etc/systemd/system/kj.service', '[Service]\nExecStart=-/opt/j.sh --now', '');
    expect(
      found(config(files, '- systemctl daemon-reload\n- [systemctl, start, --no-block, kj]\n')),
    ).toMatchObject({
      callers: ['file /opt/j.sh'],
      commands: [1],
      units: ['kj.service'],
    });
  });

  it('finds a unit that nothing starts, a drop-in, a template and the timer beside it', () => {
    for (const path of ['/etc/systemd/system/kj.service', '/run/systemd/system/kj.service.d/10-join.conf'])
      expect(found(config(script(path, UNIT, ''), '- uptime\n'))).toMatchObject({
        callers: ['unit kj.service'],
        units: ['kj.service'],
        commands: [],
      });
    expect(
      found(
        config(script('/etc/systemd/system/join@.service', UNIT, ''), '- systemctl start join@w1.service\n'),
      ),
    ).toMatchObject({ units: ['join@.service'], commands: [0] });
    const timer = script('/etc/systemd/system/later.timer', '[Timer]\nOnBootSec=1min\nUnit=kj.service', '');
    expect(
      found(
        config(script('/etc/systemd/system/kj.service', UNIT, '') + timer, '- systemctl start later.timer\n'),
      ),
    ).toMatchObject({ units: expect.arrayContaining(['kj.service']), commands: [0] });
  });

  it('finds units of Ignition', async () => {
    const ignition = {
      ignition: { version: '3.4.0' },
      systemd: { units: [{ name: 'kubeadm-join.service', enabled: true, contents: UNIT }] },
    };
    const read = await readUserData(Buffer.from(JSON.stringify(ignition)), { source: 'file', metaData: {} });
    expect(found('', read)).toMatchObject({
      callers: ['unit kubeadm-join.service'],
      units: ['kubeadm-join.service'],
    });
  });

  it('names the unit of systemd-run, and where output goes', () => {
    expect(
      found(
        config(
          '',
          '- systemd-run --no-block --unit=late kubeadm join --config /a\n- nohup kubeadm join --config /a >/var/log/j.log 2>&1 &\n- kubeadm join --config /a | tee -a /root/log\n- kubeadm join --config /b >/dev/null 2>&1 &\n',
        ),
      ),
    ).toMatchObject({
      commands: [0, 1, 2, 3],
      units: ['late.service'],
      logs: ['/var/log/j.log', '/root/log'],
    });
  });

  it.each([
    ['a list of words', '#!/usr/bin/env python3\nrun(["/usr/bin/kubeadm", "join", "--config", "/a"])'],
    ['a program of Windows', '#!/bin/sh\n& C:\\k\\kubeadm.exe join --config /a'],
    ['a variable', '#!/bin/sh\nKUBEADM=/opt/bin/kubeadm\n"$KUBEADM" join --config /a'],
  ])('recognises %s', (_, body) => {
    expect(found(config(script('/opt/j', body), '- /opt/j\n'))).toMatchObject({
      verb: 'join',
      commands: [0],
    });
  });

  it('follows a script into a file that it reads', () => {
    const files =
      script('/opt/lib', 'kubeadm join --config /a', '') + script('/opt/j.sh', '#!/bin/sh\n. /opt/lib\n');
    expect(found(config(files, '- /opt/j.sh\n'))).toMatchObject({
      callers: ['file /opt/lib'],
      commands: [0],
    });
  });

  it.each([
    [true, 'echo /opt/j.sh | at now + 1 minute'],
    [true, '/usr/bin/true; at -f /opt/j.sh now'],
    [true, 'crontab /opt/j.sh'],
    [false, 'echo "looks for the node at 10.0.0.1"; /opt/j.sh'],
    [false, 'echo starting at $(date) && /opt/j.sh'],
  ])('takes cron and at for what they are (%s): %s', (isScheduled, command) => {
    const files = script('/opt/j.sh', '#!/bin/sh\nkubeadm join --config /a');
    const text = config(files, `- |\n  ${command}\n`);
    expect(findCallers(documentOf(text))?.isScheduled).toBe(isScheduled);
  });

  it('takes no name for a unit that systemctl could read as an option', () => {
    expect(
      found(config('', '- systemd-run --no-block --unit=-Hroot@192.0.2.1 kubeadm join --config /a\n'))?.units,
    ).toEqual([]);
  });

  it('takes join where both verbs stand, because its proof holds for both', () => {
    const body = '#!/bin/sh\nif [ "$1" = first ]; then kubeadm init; else kubeadm join --config /a; fi';
    expect(found(config(script('/opt/j', body), '- /opt/j\n'))?.verb).toBe('join');
  });

  it('knows by a configuration of kubeadm what a program of the image is to do', () => {
    const files = script(
      '/run/kubeadm/k.yaml',
      'apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration',
      '',
    );
    expect(found(config(files, '- /usr/local/bin/bootstrap\n'))).toMatchObject({ verb: 'join', callers: [] });
  });

  it.each([
    ['a call that Slipway makes', config('', '- kubeadm join --config /a\n')],
    ['a text for people', config(script('/etc/motd', 'To add a node: kubeadm join', ''), '- /opt/setup\n')],
    ['another command of kubeadm', config('', '- kubeadm config images pull\n')],
  ])('has nothing to say of %s', (_, text) => {
    expect(found(text)).toBeUndefined();
  });

  it('looks through many files in little time', () => {
    const many = Array.from({ length: 3000 }, (_, index) =>
      script(`/opt/${index}.sh`, `#!/bin/sh\n/opt/${index + 1}.sh`),
    ).join('');
    expect(
      found(config(many + script('/opt/3000.sh', '#!/bin/sh\nkubeadm join'), '- /opt/2990.sh\n')),
    ).toMatchObject({
      commands: [0],
    });
  });
});

it.each([
  ['surely', config('', '- kubeadm join --config /a\n')],
  ['surely', config(script('/opt/j.sh', '#!/bin/sh\nkubeadm join'), '')],
  ['maybe', config('', '- /usr/local/bin/bootstrap-node.sh --role worker\n')],
  ['maybe', config('', '- curl -fsSL http://10.0.0.1:8000/join.sh | bash\n')],
  ['never', '#cloud-config\n'],
  [
    'never',
    config(script('/run/k.yaml', 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration', ''), ''),
  ],
])('says %s of %s', (prospect, text) => {
  expect(nodeProspect(documentOf(text))).toBe(prospect);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mentionsKubeadmBootstrap } from '../../../kubeadm/config/invocation.ts';
import { liftKubeadm } from './lift.ts';

const SENTINEL = '/run/cluster-api/bootstrap-success.complete';

describe('liftKubeadm', () => {
  it('lifts what Cluster API writes', () => {
    expect(
      liftKubeadm(`kubeadm init --config /run/kubeadm/kubeadm.yaml  && echo success > ${SENTINEL}`),
    ).toEqual({
      verb: 'init',
      args: ['--config', '/run/kubeadm/kubeadm.yaml'],
      configPath: '/run/kubeadm/kubeadm.yaml',
      sentinel: SENTINEL,
    });
    expect(
      liftKubeadm(
        `kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml --v 5 && echo success > ${SENTINEL}`,
      ),
    ).toEqual({
      verb: 'join',
      args: ['--config', '/run/kubeadm/kubeadm-join-config.yaml', '--v', '5'],
      configPath: '/run/kubeadm/kubeadm-join-config.yaml',
      sentinel: SENTINEL,
    });
    expect(liftKubeadm('kubeadm init --config /etc/kubeadm.yml ')).toEqual({
      verb: 'init',
      args: ['--config', '/etc/kubeadm.yml'],
      configPath: '/etc/kubeadm.yml',
    });
  });

  it.each([
    ['full path', '/usr/bin/kubeadm join --config=/a.yaml', '/a.yaml'],
    ['quotes', `'kubeadm' "join" '--config' '/with space.yaml'`, '/with space.yaml'],
    ['no space at the redirection', `kubeadm join --config /a.yaml &&echo success>${SENTINEL}`, '/a.yaml'],
    ['the last of two', 'kubeadm join --config /a --config /b', '/b'],
    ['a line break at the end', 'kubeadm join --config /a\n', '/a'],
    ['a value that looks like a verb', 'kubeadm join --node-name phase --config /a', '/a'],
  ])('lifts %s', (_, line, configPath) => {
    expect(liftKubeadm(line)).toMatchObject({ verb: 'join', configPath });
  });

  it.each([
    'kubeadm join --config k.yaml',
    'sudo kubeadm init --config=./k.yaml',
    'kubeadm init --config ~/k',
  ])('leaves %s to the shell, which knows where it is', (line) => {
    expect(liftKubeadm(line)).toBeUndefined();
    expect(mentionsKubeadmBootstrap(line)).toBe(true);
  });

  it('takes quoted operators for the plain words that they are', () => {
    expect(liftKubeadm("kubeadm join '&&' x '>' y")).toEqual({ verb: 'join', args: ['&&', 'x', '>', 'y'] });
  });

  it.each([
    ['A=b kubeadm join --config /a', ['A=b'], undefined],
    [`A='b c'"d" _e= kubeadm join --config /a && echo success > ${SENTINEL}`, ['A=b cd', '_e='], undefined],
    ['env NO_PROXY=10.0.0.0/8 /usr/bin/kubeadm join --config /a', ['NO_PROXY=10.0.0.0/8'], undefined],
    ["A=b /usr/bin/env -- 'C=d' kubeadm join --config /a", ['A=b', 'C=d'], undefined],
    ['sudo kubeadm join --config /a', undefined, true],
    ['/usr/bin/sudo -n -- kubeadm join --config /a', undefined, true],
    ['sudo A=b kubeadm join --config /a', ['A=b'], true],
    ['sudo -H env A=b kubeadm join --config /a', ['A=b'], true],
    ['A=b sudo -E kubeadm join --config /a', ['A=b'], undefined],
    ['sudo -nE kubeadm join --config /a', undefined, undefined],
    ['sudo --preserve-env A=b kubeadm join --config /a', ['A=b'], undefined],
  ])('lifts %s with what it says of the environment', (line, environment, withoutExports) => {
    const lifted = liftKubeadm(line);
    expect(lifted).toMatchObject({ verb: 'join', configPath: '/a', args: ['--config', '/a'] });
    expect(lifted?.environment?.reveal()).toEqual(environment);
    expect(lifted?.withoutExports).toBe(withoutExports);
  });

  it.each([
    ['a phase', 'kubeadm join phase preflight --config /a'],
    ['a phase behind a flag that stands alone', 'kubeadm join --control-plane phase all'],
    ['help', 'kubeadm join --help'],
    ['a dry run', 'kubeadm init --dry-run --config /a'],
    ['another verb', 'kubeadm reset -f'],
    ['no verb', 'kubeadm'],
    ['a variable with an expansion', 'FOO=$BAR kubeadm join --config /a'],
    ['a variable whose name is quoted, which is a program', "'FOO=bar' kubeadm join --config /a"],
    ['variables alone', 'FOO=bar'],
    ['another PATH', 'PATH=/opt/kubernetes/bin kubeadm join --config /a'],
    ['what another Slipway would read', 'SLIPWAY_KUBEADM=/x kubeadm join --config /a'],
    ['an empty environment', 'env -i kubeadm join --config /a'],
    ['a variable that sudo takes for the program', 'sudo -- A=b kubeadm join --config /a'],
    ['a variable in which Slipway keeps others', 'slipway_1=a A=b kubeadm join --config /a'],
    ['more of them than anybody writes', `${'env A=b '.repeat(100_000)}kubeadm join --config /a`],
    ['another user', 'sudo -u admin kubeadm join --config /a'],
    ['a variable that sudo keeps back or not', 'HTTPS_PROXY=http://p:1 sudo kubeadm join --config /a'],
    ['a choice of what sudo keeps', 'sudo --preserve-env=HTTPS_PROXY kubeadm join --config /a'],
    ['another program behind sudo', 'sudo nohup kubeadm join --config /a'],
    ['a path that is not searched', '/home/me/kubeadm join --config /a'],
    ['an expansion', 'kubeadm join --config $CONFIG'],
    ['an expansion in quotes', 'kubeadm join --config "$(find /a)"'],
    ['a backtick', 'kubeadm join --config `x`'],
    ['a pipe', 'kubeadm join --config /a | tee /log'],
    ['or', 'kubeadm join --config /a || reboot'],
    ['a semicolon', 'kubeadm join --config /a; true'],
    ['the background', 'kubeadm join --config /a &'],
    ['another redirection', 'kubeadm join --config /a > /log'],
    ['a redirection of stderr', 'kubeadm join --config /a 2>/log'],
    ['an append', `kubeadm join --config /a && echo success >> ${SENTINEL}`],
    ['another text', `kubeadm join --config /a && echo ok > ${SENTINEL}`],
    ['an option of echo', `kubeadm join --config /a && echo -n success > ${SENTINEL}`],
    ['more behind the sentinel', `kubeadm join --config /a && echo success > ${SENTINEL} && reboot`],
    ['a sentinel without a path', 'kubeadm join --config /a && echo success >'],
    ['a relative sentinel', 'kubeadm join --config /a && echo success > done'],
    ['a sentinel with ..', 'kubeadm join --config /a && echo success > /run/../etc/passwd'],
    ['a device', 'kubeadm join --config /a && echo success > /dev/ttyS0'],
    ['a glob', 'kubeadm join --config /run/*.yaml'],
    ['a tilde', 'kubeadm join --config ~/a'],
    ['a brace', 'kubeadm join --config {a,b}'],
    ['a comment', 'kubeadm join --config /a # x'],
    ['two lines', 'kubeadm join --config /a\necho hello'],
    ['an open quote', "kubeadm join --config '/a"],
    ['a subshell', '(kubeadm join --config /a)'],
    ['nothing', ''],
  ])('leaves %s to the shell', (_, line) => {
    expect(liftKubeadm(line)).toBeUndefined();
  });

  it('lifts any plain words, in any quoting, as a shell would split them', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9_@%+=:,./-]{1,20}$/).filter((text) => text !== 'phase');
    const quoted = fc
      .tuple(word, fc.constantFrom('', "'", '"'))
      .map(([text, quote]) => ({ text, shell: quote + text + quote }));
    const blank = fc.stringMatching(/^[ \t]{1,3}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(blank, quoted), { maxLength: 8 }), fc.boolean(), (words, sentinel) => {
        const args = words.map(([, { text }]) => text);
        const line = `kubeadm join${words.map(([space, { shell }]) => space + shell).join('')}${sentinel ? ` && echo success > ${SENTINEL}` : ''}`;
        const lifted = liftKubeadm(line);
        // Undefined only for what asks for no bootstrap, e.g. `-h`.
        if (lifted === undefined)
          return args.some(
            (arg) => /^(-h.*|--(help|dry-run|print-join-command).*|-)$/.test(arg) || arg.startsWith('-'),
          );
        return (
          JSON.stringify(lifted.args) === JSON.stringify(args) &&
          lifted.sentinel === (sentinel ? SENTINEL : undefined)
        );
      }),
    );
  });

  it('never lifts a line with a character that means something to the shell outside of quotes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...'$`\\|;()<#*?[]{}!~&\n\r\0'), fc.nat(30), (character, at) => {
        const line = 'kubeadm join --config /run/kubeadm/a.yaml';
        const position = Math.min(9 + at, line.length - 1);
        return liftKubeadm(`${line.slice(0, position)}${character}${line.slice(position)}`) === undefined;
      }),
    );
  });

  it('does not throw', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('kubeadm', ' join ', "'", '"', '&&', '>', 'echo success', '--config', '='),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        liftKubeadm(pieces.join(''));
        mentionsKubeadmBootstrap(pieces.join(''));
      }),
    );
  });
});

describe('mentionsKubeadmBootstrap', () => {
  it.each([
    'sudo kubeadm join --config /a',
    'FOO=bar kubeadm init',
    'kubeadm join --config $X || reboot',
    'if true; then kubeadm --v 5 init --config /a; fi',
    'bash -c "kubeadm join --config /a"',
    '/opt/bin/kubeadm join --config /a 2>&1 | tee /log',
    'mkdir -p /x && kubeadm join \\\n  --config /a',
  ])('%s', (line) => {
    expect(mentionsKubeadmBootstrap(line)).toBe(true);
  });

  it.each([
    'kubeadm version',
    'kubeadm config images pull --config /a',
    'kubeadm init phase certs all',
    'kubeadm join --help',
    'kubeadm reset -f',
    'echo kubeadm join will follow',
    'cat /run/kubeadm/kubeadm.yaml',
    'systemctl restart kubelet',
    '# kubeadm init',
    'mykubeadm init',
  ])('not %s', (line) => {
    expect(mentionsKubeadmBootstrap(line)).toBe(false);
  });
});

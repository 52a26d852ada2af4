import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFixtures } from '../../../test/support/kubeadm/kubeadm-fixtures.ts';
import { readLogFixtures } from '../../../test/support/logs/log-fixtures.ts';
import { ENVELOPES, interleaved, PREFIXES, picker, wrapped } from '../../../test/support/logs/log-forms.ts';
import { diagnoseLog } from './diagnose-log.ts';
import { readLines } from './transcript/read-lines.ts';

const HINT = 'To see the stack trace of this error execute with --v=5 or higher';
const OUTPUTS = [
  ...readFixtures()
    .filter(({ code }) => code !== 'KubeadmInterrupted')
    .map(({ name, code, verb, stdout, stderr }) => ({
      name,
      code,
      text: [`+ kubeadm ${verb} --config /run/kubeadm/kubeadm.yaml`, stdout.trimEnd(), stderr.trimEnd()]
        .concat(stderr.includes(HINT) ? [] : [HINT])
        .join('\n'),
    })),
  ...readLogFixtures('kubeadm').map(({ name, code, more, text }) => ({
    name,
    code,
    text: `+ kubeadm ${more[0]}\n[preflight] Running pre-flight checks\n${text.trimEnd()}\n${HINT}`,
  })),
];
/** Traces are many lines of all lengths, in which nobody sees where a terminal wrapped them. */
const WRAPPABLE = OUTPUTS.filter(({ name }) => !name.includes('-v5'));
const FORMS = [...PREFIXES, ...ENVELOPES];

const code = (text: string): string => {
  const { failure, result } = diagnoseLog(readLines('log', text));
  return failure?.code ?? result;
};

describe.each(FORMS)('kubeadm in $name', (form) => {
  it('is diagnosed as without', () => {
    const wrong = OUTPUTS.filter(
      ({ text, code: wanted }) =>
        code(form.apply(text.split('\n').map((line) => ({ text: line })))) !== wanted,
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

it('other programs between its lines change nothing', () => {
  const anOutput = fc.constantFrom(...OUTPUTS.filter(({ name }) => !name.includes('-v5')));
  fc.assert(
    fc.property(
      anOutput,
      fc.constantFrom(...FORMS),
      fc.nat(),
      fc.integer({ min: 5, max: 45 }),
      (output, form, seed, share) => {
        expect(code(form.apply(interleaved(output.text, picker(seed), share)))).toBe(output.code);
      },
    ),
    { numRuns: 400 },
  );
});

/** The form in which a text was before a logger put its prefix in front of each line. */
const BEFORE: readonly ((text: string) => string)[] = [
  ...['Ansible, one line', 'Ansible, YAML', 'indented'].map(
    (name) => (text: string) =>
      ENVELOPES.find((form) => form.name === name)?.apply(text.split('\n').map((line) => ({ text: line }))) ??
      '',
  ),
  (text) => wrapped(text, 80, true),
  (text) => text,
];

it.each([
  ['a journal', PREFIXES],
  ['a text without prefixes', ENVELOPES.slice(0, 1)],
] as const)('nor in %s where it was quoted or wrapped before', (_, forms) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...WRAPPABLE),
      fc.constantFrom(...BEFORE),
      fc.constantFrom(...forms),
      fc.nat(),
      (output, before, form, seed) => {
        const alone = before(output.text).trimEnd();
        const mixed = form.apply(interleaved(alone, picker(seed), 30));
        if (code(alone) === output.code) expect(code(mixed)).toBe(output.code);
      },
    ),
    { numRuns: 300 },
  );
});

describe.each([80, 100, 120])('a terminal of %i columns', (width) => {
  it('changes nothing', () => {
    const wrong = WRAPPABLE.filter(({ text, code: wanted }) => code(wrapped(text, width)) !== wanted);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

it('a journal may be wrapped at words', () => {
  const journal = (text: string): string =>
    PREFIXES[0]?.apply(text.split('\n').map((line) => ({ text: line }))) ?? '';
  const wrong = WRAPPABLE.filter(
    ({ text, code: wanted }) => code(wrapped(journal(text), 80, true)) !== wanted,
  );
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

describe.each([80, 100, 120])('a journal in a terminal of %i columns', (width) => {
  it('changes nothing', () => {
    const journal = PREFIXES[0];
    const cut = (text: string): string =>
      wrapped(journal?.apply(text.split('\n').map((line) => ({ text: line }))).trimEnd() ?? '', width);
    const wrong = WRAPPABLE.filter(({ text, code: wanted }) => code(cut(text)) !== wanted);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

/** Of a single line that ends where a word ends, nobody can tell which of the two has wrapped it. */
describe.each([72, 80, 100, 120])('a mail program that wraps at %i', (width) => {
  it('changes next to nothing', () => {
    const wrong = WRAPPABLE.filter(({ text, code: wanted }) => code(wrapped(text, width, true)) !== wanted);
    expect(wrong.length / WRAPPABLE.length).toBeLessThan(0.035);
  });
});

it.each(
  FORMS.filter(({ name }) =>
    ['vagrant', 'packer', 'comments', 'Ansible, one line', 'Ansible, list'].includes(name),
  ),
)('an excerpt without a step of kubeadm in $name is diagnosed as without', (form) => {
  const inForm = (text: string): string => code(form.apply(text.split('\n').map((line) => ({ text: line }))));
  expect(
    inForm(
      'Nov 21 02:34:29 n1 kubelet[7]: I1121 02:34:29.000001       7 server.go:415] "Kubelet version"\n' +
        'Nov 21 02:34:29 n1 kubelet[7]: E1121 02:34:29.000001       7 run.go:74] "command failed" err="failed to run Kubelet: running with swap on is not supported"',
    ),
  ).toBe('SwapEnabled');
  expect(
    inForm(
      '[nodeRegistration.name: Invalid value: "Node_1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters\n' +
        HINT,
    ),
  ).toBe('NodeNameInvalid');
  expect(
    inForm(
      'your configuration file uses an old API spec: "kubeadm.k8s.io/v1beta2". Please use kubeadm v1.22 instead',
    ),
  ).toBe('KubeadmConfigVersionUnsupported');
});

it('the hint may be missing', () => {
  const cut = OUTPUTS.filter(({ text }) => /^(?:error: )?error execution phase|\[ERROR /m.test(text));
  const wrong = cut.filter(({ text, code: wanted }) => code(text.replace(HINT, '').trimEnd()) !== wanted);
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

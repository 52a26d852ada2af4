import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../text/diagnostics.ts';
import { plainText } from '../../text/source-text.ts';
import { JINJA_METADATA, jinjaExamples } from '../fixtures/read-json.ts';
import { renderTemplate } from './render.ts';
import { renderPart } from './render-part.ts';
import { TemplateError } from './syntax/template-error.ts';
import { variablesOf } from './variables.ts';

const variables = () => variablesOf({ metaData: JINJA_METADATA, source: 'nocloud' });

function render(template: string): string {
  return renderTemplate(template.replace(/\r\n?/g, '\n'), variables())
    .map((piece) => piece.text)
    .join('');
}

describe('what Jinja2 makes of a template', () => {
  const examples = jinjaExamples();

  test.each(examples.filter(({ leftOut }) => leftOut === undefined))('$text', ({ text, rendered }) => {
    if (rendered === undefined) expect(() => render(text)).toThrow(TemplateError);
    else expect(render(text)).toBe(rendered);
  });

  test.each(examples.filter(({ leftOut }) => leftOut !== undefined))(
    '$text is refused',
    ({ text, leftOut }) => {
      expect(() => render(text)).toThrow(leftOut);
      expect(() => render(text)).toThrow(TemplateError);
    },
  );
});

test.each(['größe', 'λ', 'a１', 'x‿y', '𝒳1'])('a name may have letters of any language: %s', (name) => {
  expect(render(`{% set ${name} = 1 %}{{ ${name} + 1 }}`)).toBe('2');
});

// Each of these would make more text than any string can hold, or take hours.
describe('few characters that stand for very many', () => {
  const MIB = `{% set s = 'x' %}${'{% set s = s ~ s %}'.repeat(20)}`;
  const MANY = `${MIB}{% set l = [${'s,'.repeat(600)}] %}`;
  const DEEP = `{% set l = [range(1000)|list] %}${'{% set l = [l] %}'.repeat(140)}{% set l = [${'l,'.repeat(90)}] %}`;

  test.each([
    ['a list', `${MANY}{{ l }}`, /too large/],
    ['a list in a text', `${MANY}{% set t = l ~ '' %}`, /too many steps/],
    ['a list as JSON', `${MANY}{{ l | tojson }}`, /too many steps/],
    ['a deep list as JSON', `${DEEP}{{ l | tojson(64) }}`, /too long/],
    ['a key', `${MIB}{% for i in range(20000) %}{% set d = {s ~ i: 1} %}{% endfor %}`, /too many steps/],
    [
      'a pair that is looked for',
      `${MIB}{% set d = {1: 2} %}{% for i in range(20000) %}{% set t = d.get((s, s)) %}{% endfor %}`,
      /too many steps/,
    ],
    [
      'a pair in brackets',
      `${MIB}{% set d = {1: 2} %}{% for i in range(20000) %}{% set t = d[(s, s)] %}{% endfor %}`,
      /too many steps/,
    ],
  ])('%s: refused', (_, text, words) => {
    expect(() => render(text)).toThrow(words);
    expect(() => render(text)).toThrow(TemplateError);
  });
});

test('a number that breaks off is read once', () => {
  const million = `{% set s = '0' %}${'{% set s = s ~ s %}'.repeat(20)}`;
  expect(render(`${million}{{ (s ~ 'x') | int(7) }}`)).toBe('7');
});

describe('positions', () => {
  const source = plainText(
    '## template: jinja\n#cloud-config\na: {{ v1.instance_id }}\n{% if true %}\nb: c\n{% endif %}\nd: e\n',
  );

  test('text leads to its own place, a result to its tag', () => {
    const part = renderPart({ type: 'text/jinja2', source, name: 'x' }, variables, new Diagnostics());
    const text = part?.source.text ?? '';
    expect(text).toBe('#cloud-config\na: i-1\nb: c\nd: e\n');
    expect(part?.type).toBe('text/cloud-config');
    expect(part?.source.locate(text.indexOf('b: c'))).toEqual({ line: 5, column: 1 });
    expect(part?.source.locate(text.indexOf('d: e'))).toEqual({ line: 7, column: 1 });
    expect(part?.source.locate(text.indexOf('i-1') + 2)).toEqual({ line: 3, column: 4 });
  });

  test.each([
    ['{{ nothing.more }}', 3, 11, '"nothing" is not defined'],
    ['x\n{% nosuch %}', 4, 1, '{% nosuch %}'],
    ['x\n  {{ 1 + }}', 4, 10, 'expression'],
    ['{% if a %}', 3, 1, 'endif'],
    ['{{ a | nosuch }}', 3, 6, 'Jinja has no filter nosuch;'],
    ['{{ a is nosuch }}', 3, 6, 'Jinja has no test nosuch;'],
    ['{{ a | title }}', 3, 6, 'Slipway does not support the filter title;'],
    ['x\n{% if false %}{{ a | title }}{% endif %}', 4, 20, 'Slipway does not support the filter title;'],
    ['{{ a is odd }}', 3, 6, 'Slipway does not support the test odd; compare the remainder'],
    ['{% macro m() %}{% endmacro %}', 3, 1, 'Slipway does not support the tag {% macro %};'],
    ['{{ "a".zfill(3) }}', 3, 7, 'Slipway does not support the method zfill of strings;'],
    ['{{ v1.update({}) }}', 3, 6, 'Slipway does not support the method update of mappings;'],
    ['{{ [].append(1) }}', 3, 6, 'Slipway does not support the method append of lists;'],
    ['{{ dict(a=1) }}', 3, 4, 'Slipway does not support the function dict;'],
    ['{{ [1] | join(attribute="a") }}', 3, 8, 'Slipway does not support the argument attribute of join.'],
    ['{{ 2 ** 3 }}', 3, 6, 'Slipway does not support the operator **;'],
    ['{{ "%s" % 1 }}', 3, 9, 'Slipway does not support the operator % between a string and a whole number;'],
    ['{{ v1.local-hostname }}', 3, 12, 'local_hostname'],
  ])('%j fails at %i:%i', (template, line, column, word) => {
    const diagnostics = new Diagnostics();
    const text = plainText(`## template: jinja\n#cloud-config\n${template}\n`);
    expect(
      renderPart({ type: 'text/jinja2', source: text, name: 'x' }, variables, diagnostics),
    ).toBeUndefined();
    expect(diagnostics.entries).toMatchObject([
      { severity: 'error', code: 'UserDataTemplate', where: { line, column } },
    ]);
    expect(diagnostics.entries[0]?.message).toContain(word);
  });

  test('a variable that is not defined is a warning where it stands', () => {
    const diagnostics = new Diagnostics();
    const text = plainText('## template: jinja\n#cloud-config\nhostname: x{{ ds.meta_data.nope }}\n');
    const part = renderPart({ type: 'text/jinja2', source: text, name: 'x' }, variables, diagnostics);
    expect(part?.source.text).toContain('xCI_MISSING_JINJA_VAR/nope');
    expect(diagnostics.entries).toMatchObject([{ severity: 'warning', where: { line: 3, column: 12 } }]);
  });
});

test.each([
  ['a loop', '{% for i in range(99999) %}{% for j in range(99999) %}{{ i }}{% endfor %}{% endfor %}'],
  ['a range', '{{ range(200000) | length }}'],
  ['a number', `{% set n = 9 %}${'{% set n = n * n %}'.repeat(40)}{{ n }}`],
  ['brackets', `{{ ${'('.repeat(50_000)} }}`],
  ['a chain', `{{ 1${' + 1'.repeat(10_000)} }}`],
  ['filters', `{{ a${'|upper'.repeat(10_000)} }}`],
  ['a list in a list', `{% set l = [] %}${'{% set l = [l] %}'.repeat(1000)}{{ l }}`],
  ['a list that doubles', `{% set l = [1] %}${'{% set l = l + l %}'.repeat(40)}{{ l }}`],
  ['a list that shares', `{% set l = [1] %}${'{% set l = [l, l] %}'.repeat(40)}{{ l | string }}`],
  ['shared lists that are compared', `{% set l = [1] %}${'{% set l = [l, l] %}'.repeat(40)}{{ l == l }}`],
  ['a text that doubles', `{% set s = "x" %}${'{% set s = s ~ s %}'.repeat(99)}`],
  ['a text that is replaced', `{% set s = "x" %}${'{% set s = s.replace("x", "xx") %}'.repeat(99)}`],
])('%s that would never end is stopped', (_name, template) => {
  expect(() => render(template)).toThrow(TemplateError);
});

test('takes no more levels of metadata than YAML may have, however deep a cloud nests its JSON', () => {
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown;
  const values = variablesOf({ metaData: { deep, name: 'a' }, source: 'gce' } as never);
  const pieces = renderTemplate('{{ ds.meta_data.name }}', values);
  expect(pieces.map(({ text }) => text).join('')).toBe('a');
});

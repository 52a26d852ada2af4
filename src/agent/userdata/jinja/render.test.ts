import { describe, expect, test } from 'vitest';
import { Report } from '../../text/report.ts';
import { plainText } from '../../text/source-text.ts';
import { JINJA_METADATA, jinjaExamples } from '../fixtures/read-json.ts';
import { renderTemplate } from './render.ts';
import { renderPart } from './render-part.ts';
import { TemplateError } from './template-error.ts';
import { variablesOf } from './variables.ts';

const variables = () => variablesOf({ metaData: JINJA_METADATA, source: 'nocloud' });

function render(template: string): string {
  return renderTemplate(template.replace(/\r\n?/g, '\n'), variables())
    .map((piece) => piece.text)
    .join('');
}

/** Named in docs/decisions/jinja.md: they make no sense in user data. */
const NOT_SUPPORTED = /\| urlize|\| random|\{% autoescape/;

describe('what Jinja2 makes of a template', () => {
  test.each(jinjaExamples())('$text', ({ text, rendered, refused }) => {
    if (refused || NOT_SUPPORTED.test(text)) expect(() => render(text)).toThrow(TemplateError);
    else expect(render(text)).toBe(rendered);
  });
});

describe('positions', () => {
  const source = plainText(
    '## template: jinja\n#cloud-config\na: {{ v1.instance_id }}\n{% if true %}\nb: c\n{% endif %}\nd: e\n',
  );

  test('text leads to its own place, a result to its tag', () => {
    const part = renderPart({ type: 'text/jinja2', source, name: 'x' }, variables(), new Report());
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
    ['{{ a | nosuch }}', 3, 6, 'nosuch'],
    ['{{ v1.local-hostname }}', 3, 12, 'local_hostname'],
  ])('%j fails at %i:%i', (template, line, column, word) => {
    const report = new Report();
    const text = plainText(`## template: jinja\n#cloud-config\n${template}\n`);
    expect(renderPart({ type: 'text/jinja2', source: text, name: 'x' }, variables(), report)).toBeUndefined();
    expect(report.entries).toMatchObject([
      { severity: 'error', code: 'UserDataTemplate', where: { line, column } },
    ]);
    expect(report.entries[0]?.message).toContain(word);
  });

  test('a variable that is not defined is a warning where it stands', () => {
    const report = new Report();
    const text = plainText('## template: jinja\n#cloud-config\nhostname: x{{ ds.meta_data.nope }}\n');
    const part = renderPart({ type: 'text/jinja2', source: text, name: 'x' }, variables(), report);
    expect(part?.source.text).toContain('xCI_MISSING_JINJA_VAR/nope');
    expect(report.entries).toMatchObject([{ severity: 'warning', where: { line: 3, column: 12 } }]);
  });
});

test.each([
  ['a loop', '{% for i in range(99999) %}{% for j in range(99999) %}{{ i }}{% endfor %}{% endfor %}'],
  ['a product', '{{ "aaaaaaaaaa" * 100000000 }}'],
  ['a power', '{{ 9 ** 99999999 }}'],
  ['a width', '{{ "%999999999d" % 1 }}'],
  ['brackets', `{{ ${'('.repeat(50_000)} }}`],
  ['a chain', `{{ 1${' + 1'.repeat(10_000)} }}`],
  ['filters', `{{ a${'|upper'.repeat(10_000)} }}`],
  ['a macro that calls itself', '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}'],
  ['a list in itself', '{% set l = [1] %}{% do l.append(l) %}{{ l }}'],
  ['a list that doubles', '{% set l = [1] %}{% for i in range(9999) %}{% do l.extend(l) %}{% endfor %}'],
  [
    'a text that doubles',
    '{% set n = namespace(s="x") %}{% for i in range(99999) %}{% set n.s = n.s ~ n.s %}{% endfor %}',
  ],
])('%s that would never end is stopped', (_name, template) => {
  const started = performance.now();
  expect(() => render(template)).toThrow(TemplateError);
  expect(performance.now() - started).toBeLessThan(2000);
});

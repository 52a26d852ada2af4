import { describe, expect, test } from 'vitest';
import { readDocument } from '../fixtures/read-document.ts';

/** A multipart of cloud-configs; the text before the first empty line of each are further headers. */
const read = (...parts: [headers: string, config: string][]) => {
  const body = parts.map(([headers, text]) => `--B\nContent-Type: text/cloud-config\n${headers}\n${text}`);
  const mime = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n${body.join('')}--B--\n`;
  const { report, commands, files, hostname } = readDocument(Buffer.from(mime), {
    metaData: {},
    source: 'nocloud',
  });
  return {
    report: report.map(({ severity, message, where }) => [severity, message, where?.line]),
    run: commands.map((command) => (command.kind === 'command' ? command.shell.reveal() : command.verb)),
    files: files.map(({ path }) => path),
    name: hostname?.name,
  };
};

const FIRST = 'hostname: one\nruncmd: [a, b]\nwrite_files: [{path: /a, content: x}]\n';
const SECOND = 'hostname: two\nruncmd: [c]\nwrite_files: [{path: /c, content: x}]\n';
const BOTH = 'Merge-Type: list(append)+dict(no_replace,recurse_list)+str()\n';

// What is expected is what cloud-init 22.4 (Debian 12) makes of the same parts.
describe('several cloud-configs', () => {
  test.each([
    ['no header', ''],
    ['one without a value', 'Merge-Type:\n'],
  ])('replace one another with %s, and say so', (_, header) => {
    const { report, ...rest } = read(['', FIRST], [header, SECOND]);
    expect(rest).toEqual({ run: ['c'], files: ['/c'], name: 'two' });
    expect(report).toEqual(
      ['hostname', 'runcmd', 'write_files'].map((key, index) => [
        'warning',
        expect.stringMatching(`^${key} overrides that of an earlier part`),
        13 + index + (header === '' ? 0 : 1),
      ]),
    );
  });

  test.each([
    ['the header', BOTH, SECOND],
    ['the other header', `X-${BOTH}`, SECOND],
    ['the other header, beside one without a value', `Merge-Type:\nX-${BOTH}`, SECOND],
    ['the key', '', `merge_how: list(append)+dict(no_replace,recurse_list)+str()\n${SECOND}`],
    ['a list', '', `merge_type: [[list, append], [dict, no_replace, recurse_list], [str]]\n${SECOND}`],
    [
      'names and settings',
      '',
      `merge_how:\n- {name: list, settings: [append]}\n- {name: dict, settings: [recurse_list]}\n${SECOND}`,
    ],
    [
      'the key over the header',
      'Merge-Type: list(prepend)+dict(recurse_list)\n',
      `merge_how: list(append)\n${SECOND}`,
    ],
  ])('keep the commands and files of both where %s asks for it', (_, header, second) => {
    expect(read(['', FIRST], [header, second])).toEqual({
      report: [],
      run: ['a', 'b', 'c'],
      files: ['/a', '/c'],
      name: 'one',
    });
  });

  test.each([
    ['list(prepend)+dict(recurse_list)', ['c', 'a', 'b'], 'one'],
    ['list()+dict()+str()', ['a', 'b'], 'one'],
    ['list()+dict(recurse_list)+str()', ['c', 'b'], 'one'],
    ['list(no_replace)+dict(recurse_array,recurse_str)+str()', ['a', 'b'], 'two'],
    ['list(append)+dict(recurse_list,recurse_str)+str(append)', ['a', 'b', 'c'], 'onetwo'],
    ['dict(replace)+list(append)', ['c'], 'two'],
    [' List(Append) + m-dict( RECURSE_LIST )', ['a', 'b', 'c'], 'one'],
  ])('%s', (how, run, name) => {
    expect(read(['', FIRST], [`Merge-Type: ${how}\n`, SECOND])).toMatchObject({ report: [], run, name });
  });

  test('lose a key that a later one takes away', () => {
    const second: [string, string] = ['Merge-Type: dict(allow_delete)\n', 'runcmd:\nhostname: ~\n'];
    expect(read(['', FIRST], second)).toMatchObject({ report: [], run: [], name: undefined, files: ['/a'] });
  });

  test.each([
    ['list(append)', 'has no rule for dict'],
    ['dict(recurse_list)+set(union)', 'names a type other than list, dict and str'],
    ['append', 'is not of the form'],
  ])('are refused by the line of the header where it says %s', (how, words) => {
    const { report } = read(['', FIRST], [`Content-Disposition: attachment\nMerge-Type: ${how}\n`, SECOND]);
    expect(report).toEqual([['error', expect.stringContaining(words), 13]]);
  });

  test('are refused where a list would be joined with something else', () => {
    const second = 'Merge-Type: list(append)+dict(recurse_list,recurse_str)+str()\n';
    const { report } = read(['', 'runcmd: [a]\n'], [second, 'runcmd: ls\n']);
    expect(report).toMatchObject([['error', expect.stringContaining('join a list with another type'), 10]]);
  });
});

describe('parts that grow in one another', () => {
  const patching = (operations: readonly object[]) => {
    const patch = `#cloud-config-jsonp\n${JSON.stringify(operations)}`;
    const mime = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: text/cloud-config\n\nhostname: a\n--B\nContent-Type: text/cloud-config-jsonp\n\n${patch}\n--B--\n`;
    return readDocument(Buffer.from(mime), { metaData: {}, source: 'nocloud' }).report;
  };
  const copies = (path: (number: number) => string) => [
    { op: 'add', path: '/a', value: {} },
    ...Array.from({ length: 200 }, (_, number) => ({ op: 'copy', from: '/a', path: path(number) })),
  ];

  test.each([
    ['wide', (number: number) => `/a/${number}`, '200000 values'],
    ['deep', () => '/a/a', '128 levels'],
  ])('%s, by copies of what was copied, are refused', (_, path, words) => {
    expect(patching(copies(path))).toContainEqual(
      expect.objectContaining({
        code: 'UserDataTooLarge',
        message: `This part and the parts before it contain more than ${words}.`,
        where: expect.objectContaining({ line: 12 }),
      }),
    );
  });

  test('are refused where each is as large as one may be', () => {
    const large = `x: [${'1,'.repeat(150_000)}]\n`;
    const { report } = read(['', large], [BOTH, large]);
    expect(report).toContainEqual(['error', expect.stringContaining('more than 200000 values'), 10]);
  });
});

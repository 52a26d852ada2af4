import { expect, it } from 'vitest';
import { manPage } from './man-page.ts';

it('is a page of section 8 in which no text is a request', () => {
  const page = manPage({
    name: 'my-tool',
    summary: 'Does it all.',
    commands: [
      {
        name: 'plan',
        description: 'says what it would do',
        arguments: ['file'],
        options: [
          { names: ['-o', '--output'], value: 'format', description: 'text or json', fallback: 'text' },
        ],
      },
    ],
    more: () => "\nExamples:\n  a \\ b\n.not a request\n'nor this\n",
    after: 'At the end.',
  });
  expect(page).toBe(String.raw`.TH MY-TOOL 8
.SH NAME
my\-tool \- Does it all.
.SH SYNOPSIS
.B my\-tool
COMMAND [options]
.SH COMMANDS
.SS my\-tool plan [file]
says what it would do
.TP
.B \-o, \-\-output <format>
text or json (default: text)
.PP
.nf
Examples:
  a \e b
\&.not a request
\&'nor this
.fi
.SH NOTES
.PP
.nf
At the end.
.fi
`);
});

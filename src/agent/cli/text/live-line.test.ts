import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { LiveLine } from './live-line.ts';

/** A terminal that keeps what was written since it was looked at last. */
class FakeTerminal extends EventEmitter {
  columns: number | undefined = 20;
  #written = '';

  write(text: string): void {
    this.#written += text;
  }

  look(): string {
    const seen = this.#written;
    this.#written = '';
    return seen;
  }
}

it('wraps at blanks to the columns of the terminal and is rewritten in its place', () => {
  const terminal = new FakeTerminal();
  const line = new LiveLine(terminal);
  line.show('kubeadm join: waits for the API server');
  expect(terminal.look()).toBe('\r\x1b[Kkubeadm join: waits\nfor the API server');
  line.show('done');
  expect(terminal.look()).toBe('\r\x1b[1A\x1b[Jdone');
});

it('takes four rows at most, and fewer on a terminal that is lower', () => {
  const terminal = new FakeTerminal();
  const line = new LiveLine(terminal);
  line.show('a word of text '.repeat(20));
  expect(terminal.look().split('\n')).toHaveLength(4);
  Object.assign(terminal, { rows: 3 });
  line.show('a word of text '.repeat(20));
  expect(terminal.look()).toBe('\r\x1b[3A\x1b[Ja word of text a\nword of text a wor…');
});

it('makes way for lines that stay', () => {
  const terminal = new FakeTerminal();
  const line = new LiveLine(terminal);
  line.show('at work');
  terminal.look();
  line.print('first step done');
  expect(terminal.look()).toBe('\r\x1b[Kfirst step done\n\r\x1b[Kat work');
});

it('is drawn anew when the terminal becomes narrower, over all rows into which it was broken', () => {
  const terminal = new FakeTerminal();
  const line = new LiveLine(terminal);
  line.show('kubeadm join: waits for the API server');
  terminal.look();
  terminal.columns = 12;
  terminal.emit('resize');
  expect(terminal.look()).toBe('\r\x1b[3A\x1b[Jkubeadm\njoin: waits\nfor the API\nserver');
  line.end();
  expect(terminal.look()).toBe('\r\x1b[3A\x1b[J');
  terminal.emit('resize');
  expect(terminal.look()).toBe('');
});

it('takes 80 columns where the terminal does not know its width', () => {
  const terminal = new FakeTerminal();
  for (const columns of [0, undefined]) {
    terminal.columns = columns;
    new LiveLine(terminal).show('x'.repeat(200));
    expect(
      terminal
        .look()
        .split('\n')
        .map((row) => row.length),
    ).toEqual(['\r\x1b[K'.length + 79, 79, 42]);
  }
});

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

it('is cut to the columns of the terminal and rewritten in its place', () => {
  const terminal = new FakeTerminal();
  const line = new LiveLine(terminal);
  line.show('kubeadm join: waits for the API server');
  expect(terminal.look()).toBe('\r\x1b[Kkubeadm join: wait…');
  line.show('done');
  expect(terminal.look()).toBe('\r\x1b[Kdone');
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
  terminal.columns = 8;
  terminal.emit('resize');
  expect(terminal.look()).toBe('\r\x1b[2A\x1b[Jkubead…');
  line.end();
  expect(terminal.look()).toBe('\r\x1b[K');
  terminal.emit('resize');
  expect(terminal.look()).toBe('');
});

it('takes 80 columns where the terminal does not know its width', () => {
  const terminal = new FakeTerminal();
  for (const columns of [0, undefined]) {
    terminal.columns = columns;
    new LiveLine(terminal).show('x'.repeat(200));
    expect(terminal.look()).toHaveLength('\r\x1b[K'.length + 79);
  }
});

import { expect, it } from 'vitest';
import { embeddedScript, unclosedSection } from './scripts.ts';

const OPENING = "(umask 077; cat > '/x/part') <<'SLIPWAY_END_a1'\n";

it('finds the script that a command makes a file of, and none in another command', () => {
  const script = "#!/bin/sh\ncat > 'y') <<'SLIPWAY_END_b'\n\necho\n";
  expect(embeddedScript(`mkdir x && ${OPENING}${script}SLIPWAY_END_a1\nrun`)).toEqual({
    path: '/x/part',
    text: script,
  });
  expect(embeddedScript(`${OPENING}SLIPWAY_END_a1\n`)).toBeUndefined();
  expect(embeddedScript(`${OPENING}${script}`)).toBeUndefined();
  expect(embeddedScript('kubeadm join')).toBeUndefined();
});

it('looks once through a text that is full of such beginnings', () => {
  expect(embeddedScript(`${OPENING}x\n`.repeat(200_000))).toBeUndefined();
});

it('looks once for the end of sections that nothing closes', () => {
  expect(unclosedSection(`<persist>\n${'<!--\n<script>\n-->\n'.repeat(1_000_000)}`)).toBeUndefined();
});

/** What a script writes to a file or a screen, word for word: no program has said it. */
import type { LogLine } from '../transcript/line.ts';
import { BEGIN, HINT } from '../transcript/sentences.ts';

/** `cat <<EOF`, `sudo tee /etc/motd <<-'EOF'`. */
const OPENS = /(?:^|[\s|;&>])(?:cat|tee)\b[^<]{0,200}<<-?\s?["'\\]?([A-Za-z_]\w{1,30})["']?/;
const LONGEST = 300;

/** An output that somebody keeps so stays: it has kubeadm's beginning or end. */
export function withoutHeredocs(lines: LogLine[]): LogLine[] {
  if (!lines.some(({ text }) => OPENS.test(text))) return lines;
  const kept: LogLine[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (line === undefined) break;
    kept.push(line);
    const word = OPENS.exec(line.text)?.[1];
    if (word === undefined) continue;
    const rest = lines.slice(at + 1, at + LONGEST);
    const end = rest.findIndex(({ text }) => text.trim() === word);
    const isOutput = rest.slice(0, Math.max(end, 0)).some(({ text }) => BEGIN.test(text) || HINT.test(text));
    if (end > 0 && !isOutput) at += end;
  }
  return kept;
}

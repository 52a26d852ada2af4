const BEGIN = '# From the settings of the node (slipway.kernel); changes between these lines are lost.';
const END = '# End of the settings of the node.';

/** The text with `lines` between two marks. They replace an earlier block or go to the end. */
export function withBlock(text: string, lines: readonly string[]): string {
  const from = text.indexOf(`${BEGIN}\n`);
  const to = text.indexOf(`${END}\n`, from);
  const block = lines.length === 0 ? '' : `${[BEGIN, ...lines, END].join('\n')}\n`;
  if (from >= 0 && to >= 0) return text.slice(0, from) + block + text.slice(to + END.length + 1);
  const gap = text === '' || text.endsWith('\n') || block === '' ? '' : '\n';
  return `${text}${gap}${block}`;
}

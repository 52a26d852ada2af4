/** Pages for whoever meets an error, and reports on one that is over: they are known by how they are divided. */

/** The words that stand above an error, and above what helps, in the languages in which such pages are written. */
const TROUBLES =
  'symptoms?|(?:the )?(?:problem|issue|error|failure)s?(?: (?:statement|summary|description|overview|message))?|现象|问题(?:现象|描述)?|症状|报错(?:信息)?|错误(?:信息|现象)?|故障现象|증상|문제(?: 상황)?|오류(?: 내용)?|에러(?: ?내용)?|事象|エラー|triệu chứng|lỗi|problème|symptômes?|fehler(?:bild)?|síntomas?|problema|симптомы?|ошибка|проблема';
const HELPS =
  '(?:quick |the |recommended |possible |suggested )?(?:fix|solution|resolution|workaround|remedy)(?:es|s)?(?: applied| steps)?|(?:root )?causes?(?: analysis)?|why|diagnos(?:e|is)|prevention|verification|lessons learned|action items|impact|timeline|changes made|what went (?:well|wrong)|解决(?:方法|办法|方案|过程|措施|思路)?|处理(?:方法|办法|过程)?|(?:根本)?原因(?:分析)?|根因(?:分析)?|排查(?:过程|思路)?|해결(?: ?방법|책)?|원인(?: 분석)?|조치|対処(?:法|方法)?|対策|解決(?:策|方法)?|cách khắc phục|khắc phục|nguyên nhân|giải pháp|cause|résolution|ursache|lösung|behebung|causa|solución|причин[аы]|решение';
const EDGE = String.raw`[\s>#*_\d.、)(-]{0,12}`;
const LABEL_END = String.raw`[\s*_]{0,4}(?:\([^)]{0,40}\)[\s*_]{0,4})?(?:[:：]|$)`;
const TROUBLE = new RegExp(`^${EDGE}(?:${TROUBLES})${LABEL_END}`, 'iu');
const HELP = new RegExp(`^${EDGE}(?:${HELPS})${LABEL_END}`, 'iu');
/** So many of both, at least one of what helps. */
const ENOUGH_LABELS = 3;
const MANY_LABELS = 6;
/** So many different ones of what helps: it has been looked into. */
const ENOUGH_HELPS = 2;

const HEADING = /^#{1,6} \S|^<h[1-6]\b|^={1,5} \S|^\*{1,5} [A-Z]/i;
/** What such a page is called. */
const TITLE =
  /troubleshoot|\bfaq\b|(?:common|known|frequent|typical)(?: \w+)? (?:issue|error|problem|failure|mistake|pitfall)s?\b|cheat ?sheet|runbook|playbook|post-?mortem|retrospective|lessons learned|practice (?:test|exam|question)|常见(?:问题|错误|报错)|(?:问题|报错|错误)(?:汇总|集锦|记录|总结)|踩坑|排错|排障|故障(?:排查|处理)|复盘|트러블슈팅|자주 (?:묻는|발생)|トラブルシュ|よくある|dépannage|fehlerbehebung|решение проблем|устранение/i;
const ENOUGH_HEADINGS = 2;
/** So many beside what helps: they stand above several troubles. */
const MANY_HEADINGS = 3;

/** What a page generator reads before the text. */
const FRONT_MATTER =
  /^(?:title|name|layout|description|slug|date|tags|categories|sidebar_position|weight): ?/i;
const LONGEST_FRONT = 40;

/** Is it a page by what stands above it, or divided so often that nobody has written it of one failure? */
export function isPage(texts: readonly string[]): boolean {
  const headings = texts.filter((text) => HEADING.test(text));
  return (
    hasFrontMatter(texts) ||
    (headings.length >= ENOUGH_HEADINGS && headings.some((text) => TITLE.test(text))) ||
    texts.filter((text) => TROUBLE.test(text) || HELP.test(text)).length >= MANY_LABELS
  );
}

/** Is it divided as what has been looked into is? */
export function hasLabels(texts: readonly string[]): boolean {
  const troubles = texts.filter((text) => TROUBLE.test(text)).length;
  const helps = texts.flatMap((text) => HELP.exec(text)?.[0] ?? []);
  if (new Set(helps.map(bare)).size >= ENOUGH_HELPS) return true;
  if (helps.length > 0 && texts.filter((text) => HEADING.test(text)).length >= MANY_HEADINGS) return true;
  return helps.length > 0 && troubles + helps.length >= ENOUGH_LABELS;
}

const bare = (label: string): string => label.toLowerCase().replace(/[^\p{L}]/gu, '');

function hasFrontMatter([first, ...rest]: readonly string[]): boolean {
  if (first?.trim() !== '---') return false;
  const end = rest.slice(0, LONGEST_FRONT).findIndex((text) => text.trim() === '---');
  return end > 0 && rest.slice(0, end).some((text) => FRONT_MATTER.test(text));
}

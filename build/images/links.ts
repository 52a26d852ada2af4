import { dirname, join, normalize } from 'node:path/posix';

/** A link of a page to another file of the checkout, or to a heading of one. */
interface Link {
  /** The file or folder, from the checkout's root, as are the paths of pages. */
  readonly to: string;
  /** Of a heading there. */
  readonly anchor: string | undefined;
}

const LINK = /(!?)\[([^\]]*)\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g;
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/;

/** What a page of Markdown leads to; links into the web are left out. */
export function linksOf(page: string, text: string): Link[] {
  return [...withoutCode(text).matchAll(LINK)]
    .filter(([, , , target = '']) => !ELSEWHERE.test(target))
    .map(([, , , target = '', anchor]) => ({ to: resolved(page, target), anchor }));
}

/** The page with plain words, and the path that they are about, for each link that leads to nothing. */
export function dropDeadLinks(page: string, text: string, isThere: (path: string) => boolean): string {
  return text.replace(LINK, (link, image, words: string, target: string) => {
    const to = resolved(page, target);
    if (image !== '' || ELSEWHERE.test(target) || isThere(to)) return link;
    return words.includes(to) ? words : `${words} (${to})`;
  });
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(text: string): string[] {
  return [...text.replace(FENCED, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replace(LINK, '$2')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const FENCED = /^```[\s\S]*?^```/gm;

function withoutCode(text: string): string {
  return text.replace(FENCED, '').replace(/`[^`\n]*`/g, '');
}

function resolved(page: string, target: string): string {
  return target === '' ? page : normalize(join(dirname(page), target)).replace(/\/$/, '');
}

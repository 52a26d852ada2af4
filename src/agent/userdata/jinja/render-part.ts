import { type Diagnostics, printable } from '../../text/diagnostics.ts';
import { derivedText, type SourceText, sliceFrom } from '../../text/source-text.ts';
import { type Part, typeOf } from '../decode/part.ts';
import { renderTemplate } from './render.ts';
import { parseTemplate } from './syntax/parse-template.ts';
import { TemplateError } from './syntax/template-error.ts';
import { list, MISSING_PREFIX, type Value } from './values/values.ts';

/**
 * Renders a part that begins with `## template: jinja`; the result's first line decides its type. Positions
 * in it lead back to the user data: those of text to its place, those of results to their tag. As in
 * cloud-init, an undefined variable is a warning.
 *
 * @returns undefined if `diagnostics` got an error
 */
export function renderPart(
  part: Part,
  variables: () => Map<string, Value>,
  diagnostics: Diagnostics,
): Part | undefined {
  const { source } = part;
  const body = bodyOf(source, diagnostics);
  if (body === undefined) return undefined;
  try {
    const rest = sliceFrom(source, body);
    const rendered = hasTags(rest.text) ? derivedText(rest, renderTemplate(rest.text, variables())) : rest;
    warnOfMissing(rendered, diagnostics);
    return { ...part, type: typeOf(rendered.text) ?? 'text/plain', source: rendered };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    diagnostics.error(
      'UserDataTemplate',
      `Jinja template: ${error.message}`,
      source.locate(body + error.offset),
    );
    return undefined;
  }
}

/** Cluster API writes the header over every document, and tags into few. */
function hasTags(text: string): boolean {
  return text.includes('{{') || text.includes('{%') || text.includes('{#');
}

/** What keeps a text from being a template, whatever its variables are. */
export function syntaxProblem(text: string): TemplateError | undefined {
  try {
    parseTemplate(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error;
  }
}

/**
 * Renders a template that stands in a value of the user data.
 *
 * @returns the text, or what is wrong with the template
 */
export function renderText(
  template: string,
  variables: Readonly<Record<string, readonly string[]>>,
): { text: string } | { problem: string } {
  try {
    const values = Object.entries(variables).map(([name, texts]) => [name, list(texts)] as const);
    return { text: renderTemplate(template, new Map(values)).reduce((all, { text }) => all + text, '') };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { problem: error.message };
  }
}

/** Offset of the line after the header. cloud-init knows only the template type `jinja`, in any case. */
function bodyOf(source: SourceText, diagnostics: Diagnostics): number | undefined {
  const start = source.text.search(/\S/);
  const newline = source.text.indexOf('\n', start);
  const header = source.text.slice(start, newline === -1 ? undefined : newline);
  if (/^##\s*template:\s*jinja\s*$/i.test(header)) return newline === -1 ? source.text.length : newline + 1;
  const message =
    'The template header is not exactly "## template: jinja"; no other template type is supported.';
  diagnostics.error('UserDataTemplate', message, source.locate(start));
  return undefined;
}

function warnOfMissing(rendered: SourceText, diagnostics: Diagnostics): void {
  for (
    let at = rendered.text.indexOf(MISSING_PREFIX);
    at !== -1;
    at = rendered.text.indexOf(MISSING_PREFIX, at + 1)
  ) {
    const name =
      /^[^\s'"]*/.exec(
        rendered.text.slice(at + MISSING_PREFIX.length, at + MISSING_PREFIX.length + 80),
      )?.[0] ?? '';
    const message = `Jinja template: the variable "${printable(name)}" is not defined; "${MISSING_PREFIX}..." is written instead.`;
    diagnostics.warn('UserDataTemplate', message, rendered.locate(at));
  }
}

import { visibleJson, visibleOutput } from '../../kit/terminal/visible.ts';
import type { TokenAdmin, TokenRecord } from '../attest/token.ts';
import { selectorText } from '../model/selector.ts';
import type { Store } from '../store/store.ts';
import { parseOutput } from './options/output.ts';
import { listedNamespace, type SourceOptions } from './source.ts';
import { formatTable } from './text/format-table.ts';
import { yamlText } from './text/yaml.ts';

/** @returns 0 */
export async function listTokens(shelf: TokenAdmin, options: SourceOptions): Promise<number> {
  const output = parseOutput(options.output, ['text', 'json', 'yaml', 'name']);
  const namespace = listedNamespace(options);
  const tokens = (await shelf.list())
    .filter((token) => namespace === undefined || token.namespace === namespace)
    .sort((a, b) => a.expiresAt - b.expiresAt);
  process.stdout.write(textOf(tokens, output));
  return 0;
}

type ListedToken = TokenRecord & { readonly used: number };

function textOf(tokens: readonly ListedToken[], output: 'text' | 'json' | 'yaml' | 'name'): string {
  switch (output) {
    case 'json':
      return `${visibleJson(tokens.map(toJson), 2)}\n`;
    case 'yaml':
      return `${yamlText(tokens.map(toJson))}\n`;
    case 'name':
      return tokens.map(({ id }) => `${id}\n`).join('');
    case 'text':
      return `${visibleOutput(tableOf(tokens))}\n`;
  }
}

/** Without its hashes. */
function toJson({ hash: _, previous: __, renewal, expiresAt, ...token }: ListedToken) {
  return {
    ...token,
    ...(renewal ? { renewedIn: renewal.secret } : {}),
    expiresAt: rfc3339(expiresAt),
  };
}

/** Of milliseconds since 1970. */
const rfc3339 = (time: number): string => new Date(time).toISOString().replace(/\.\d+/, '');

function tableOf(tokens: readonly ListedToken[]): string {
  if (tokens.length === 0) return 'There are no tokens.';
  const now = Date.now();
  const rows = tokens.map(({ id, namespace, machine, selector = {}, uses, used, expiresAt, renewal }) => [
    ...[id, namespace, machine ?? (selectorText(selector) || 'any')],
    uses === undefined ? (machine === undefined ? 'any number' : 'once') : `${used} of ${uses}`,
    expiresAt < now ? 'expired' : rfc3339(expiresAt),
    renewal ? `in Secret ${renewal.secret}` : 'no',
  ]);
  return formatTable([['ID', 'NAMESPACE', 'FOR', 'USED', 'UNTIL', 'RENEWED'], ...rows]);
}

/**
 * Nobody enrols with the token any more, and the nodes that did and are no Machine's go, too.
 *
 * @returns 0; 1 if there is no such token
 */
export async function revokeToken(shelf: TokenAdmin, store: Store, id: string): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`slipway-controller: ${text}\n`);
  if (!(await shelf.revoke(id))) {
    say(`there is no token ${id}; see: slipway-controller token list`);
    return 1;
  }
  const nodes = (await store.list()).filter(({ spec }) => spec.enrolment.token === id);
  const untied = store.thrifty ? nodes.filter(({ spec }) => !spec.machine) : [];
  for (const node of untied) await store.remove(node);
  const stay = nodes.length - untied.length;
  say(`token ${id} is revoked; ${untied.length} nodes without a Machine that it let in are removed`);
  if (stay > 0) say(`${stay} others keep their certificates; to shut one out, delete its NodeBootstrap`);
  return 0;
}

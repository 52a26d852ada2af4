import type { TokenAdmin, TokenRecord } from '../attest/token.ts';
import { selectorText } from '../model/selector.ts';
import type { Store } from '../store/store.ts';
import { listedNamespace, type SourceOptions } from './source.ts';
import { formatTable } from './text/format-table.ts';

/** @returns 0 */
export async function listTokens(shelf: TokenAdmin, options: SourceOptions): Promise<number> {
  const namespace = listedNamespace(options);
  const tokens = (await shelf.list())
    .filter((token) => namespace === undefined || token.namespace === namespace)
    .sort((a, b) => a.expiresAt - b.expiresAt);
  const text =
    options.output === 'json'
      ? JSON.stringify(
          tokens.map(({ hash: _, previous: __, renewal, expiresAt, ...token }) => ({
            ...token,
            ...(renewal ? { renewedIn: renewal.secret } : {}),
            expiresAt: rfc3339(expiresAt),
          })),
          undefined,
          2,
        )
      : tableOf(tokens);
  process.stdout.write(`${text}\n`);
  return 0;
}

/** Of milliseconds since 1970. */
const rfc3339 = (time: number): string => new Date(time).toISOString().replace(/\.\d+/, '');

function tableOf(tokens: readonly (TokenRecord & { used: number })[]): string {
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

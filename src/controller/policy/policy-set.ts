import { isSelected, type Selected } from '../model/selector.ts';
import type { IdentityPolicy } from './identity-policy.ts';

/** What policies look at. */
interface Governed extends Selected {
  readonly namespace: string;
}

/** All policies. Those that select a Machine count together: it has to keep each of them, so the strictest wins. */
export class PolicySet {
  /** By namespace, then name. */
  readonly #policies = new Map<string, Map<string, IdentityPolicy>>();

  put(policy: IdentityPolicy): void {
    const { namespace, name } = policy;
    const those = this.#policies.get(namespace) ?? new Map<string, IdentityPolicy>();
    this.#policies.set(namespace, those.set(name, policy));
  }

  /** @param key `namespace/name` */
  remove(key: string): void {
    const [namespace = '', name = ''] = key.split('/');
    const those = this.#policies.get(namespace);
    those?.delete(name);
    if (those?.size === 0) this.#policies.delete(namespace);
  }

  of(machine: Governed): readonly IdentityPolicy[] {
    const those = this.#policies.get(machine.namespace);
    if (!those) return [];
    return [...those.values()].filter(({ selector }) => isSelected(selector, machine));
  }

  *all(): Iterable<IdentityPolicy> {
    for (const those of this.#policies.values()) yield* those.values();
  }
}

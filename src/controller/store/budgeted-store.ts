import { type Store, storedForm } from './store.ts';
import { WriteBudget } from './write-budget.ts';

/**
 * The same store, within a budget for each machine: `append` and `certify` throw StoreBudgetExceeded beyond it. Nothing
 * is acknowledged that is not stored, so what is refused comes again, together with what is newer.
 */
export function withBudget(store: Store, budget = new WriteBudget(store.thrifty)): Store {
  return {
    thrifty: store.thrifty,
    find: (...of) => store.find(...of),
    create: (...of) => store.create(...of),
    append: async (record, addition) => {
      budget.spend(record, addition.events.map(storedForm));
      return store.append(record, addition);
    },
    certify: async (record, certificate) => {
      budget.spend(record, certificate);
      return store.certify(record, certificate);
    },
    remove: (...of) => store.remove(...of),
    list: (...of) => store.list(...of),
    overview: (...of) => store.overview(...of),
    events: (...of) => store.events(...of),
    close: () => store.close(),
  };
}

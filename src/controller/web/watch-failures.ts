import { Counter } from './registry.ts';

/** The same metric of the controller and of the approver, which watch by the same means. */
export const watchFailures = (): Counter =>
  new Counter(
    'slipway_watch_troubles_total',
    'Watches that ended by a fault and were begun again, by collection.',
  );

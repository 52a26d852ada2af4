import { Counter, Histogram, Registry } from './registry.ts';
import { watchFailures } from './watch-failures.ts';

/** Figures of the approver. */
export class ApproverMetrics extends Registry {
  readonly decisions = this.add(
    new Counter(
      'slipway_certificate_requests_total',
      'Certificate requests of kubelets decided, by decision.',
    ),
  );
  readonly latency = this.add(
    new Histogram('slipway_certificate_request_seconds', 'Time from making a request to its decision.'),
  );
  readonly watchTroubles = this.add(watchFailures());
}

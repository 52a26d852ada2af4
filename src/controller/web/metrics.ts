import { Counter, Histogram, Registry } from './registry.ts';
import { watchFailures } from './watch-failures.ts';

/** Figures of the controller that machines talk to. */
export class Metrics extends Registry {
  readonly requests = this.add(new Counter('slipway_requests_total', 'Requests by path and answer.'));
  readonly refusals = this.add(
    new Counter('slipway_refusals_total', 'Requests and connections refused, by reason.'),
  );
  readonly eventsStored = this.add(new Counter('slipway_events_stored_total', 'Events stored for good.'));
  readonly eventsRepeated = this.add(
    new Counter('slipway_events_repeated_total', 'Events received again and not stored again.'),
  );
  readonly enrolments = this.add(new Counter('slipway_enrolments_total', 'Certificates given, by method.'));
  readonly releases = this.add(
    new Counter('slipway_releases_total', 'Sealed user data given out, by what their machines proved.'),
  );
  readonly kubeletKeys = this.add(
    new Counter('slipway_kubelet_keys_total', "Kubelets' keys noted, by what their machines proved."),
  );
  readonly checkIns = this.add(
    new Counter('slipway_checkins_total', 'Check-ins of machines, by what the controller wanted of them.'),
  );
  readonly replaced = this.add(
    new Counter('slipway_holders_replaced_total', 'Nodes that lost their Machine to a better proof.'),
  );
  readonly proofsFailed = this.add(
    new Counter('slipway_proofs_failed_total', 'Proofs that did not satisfy a NodeIdentityPolicy.'),
  );
  readonly copied = this.add(
    new Counter('slipway_copied_certificates_total', 'Nodes of which a replaced certificate was shown.'),
  );
  readonly conditions = this.add(
    new Counter('slipway_conditions_total', 'Conditions written on Machines, by status.'),
  );
  readonly conditionFailures = this.add(
    new Counter('slipway_condition_failures_total', 'Conditions that could not be written at once.'),
  );
  readonly conditionsDamped = this.add(
    new Counter(
      'slipway_conditions_damped_total',
      'Changes of conditions put off, because their machines change their minds too often.',
    ),
  );
  readonly watchTroubles = this.add(watchFailures());
  readonly admission = this.add(
    new Histogram('slipway_admission_seconds', 'Time from the last byte of a batch to its answer.'),
  );
  readonly conditionLatency = this.add(
    new Histogram(
      'slipway_condition_seconds',
      'Time from storing the verdict of a machine to its condition.',
    ),
  );
}

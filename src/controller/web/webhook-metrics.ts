import { Counter, Registry } from './registry.ts';

/** Figures of the webhook. */
export class WebhookMetrics extends Registry {
  readonly reviews = this.add(
    new Counter(
      'slipway_webhook_reviews_total',
      'Reviews of Secrets by result; missed: a Machine that will not report, because nothing was added to its bootstrap data.',
    ),
  );
}

import type { WebhookMaterial } from '../keys/webhook-keys.ts';
import { MODES } from './bootstrap-data.ts';
import { CLUSTER_LABEL } from './bootstrap-secret.ts';

const NAMESPACE_LABEL = 'slipway.dev/bootstrap-data';

/**
 * The MutatingWebhookConfiguration (Kubernetes 1.30 and newer, for `matchConditions`). A namespace takes part by its label. A webhook
 * is not told of its labels, so each value has an entry and a path of its own.
 */
export function webhookConfiguration(
  namespace: string,
  { authorities, pathSecret }: Pick<WebhookMaterial, 'authorities' | 'pathSecret'>,
): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'slipway-webhook' },
    webhooks: MODES.map((mode) => ({
      name: `${mode}.bootstrap-data.slipway.dev`,
      admissionReviewVersions: ['v1'],
      clientConfig: {
        service: { namespace, name: 'slipway-webhook', path: `/bootstrap-data/${pathSecret}/${mode}` },
        caBundle: Buffer.from(authorities).toString('base64'),
      },
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['secrets'],
          scope: 'Namespaced',
        },
      ],
      namespaceSelector: { matchLabels: { [NAMESPACE_LABEL]: mode } },
      objectSelector: { matchExpressions: [{ key: CLUSTER_LABEL, operator: 'Exists' }] },
      // Nothing of a cluster's authorities is sent: they have no key `value`.
      matchConditions: [
        {
          name: 'bootstrap-data',
          expression:
            "has(object.type) && object.type == 'cluster.x-k8s.io/secret' && has(object.data) && 'value' in object.data && " +
            'has(object.metadata.ownerReferences) && ' +
            'object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller && o.name == object.metadata.name)',
        },
      ],
      // A machine that cannot report is better than no machine.
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      reinvocationPolicy: 'Never',
      matchPolicy: 'Equivalent',
      timeoutSeconds: 5,
    })),
  };
}

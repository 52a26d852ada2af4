import { X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { Keys, makeMaterial, rotateMaterial } from './key-ring.ts';
import type { KeyStorage } from './key-storage.ts';
import { WebhookKeeper } from './webhook-keeper.ts';
import type { WebhookMaterial } from './webhook-keys.ts';

const DAY_MS = 86_400_000;

describe('WebhookKeeper', () => {
  let stored: WebhookMaterial | undefined;
  let keys: Keys;
  let keeper: WebhookKeeper;
  const storage: KeyStorage<WebhookMaterial> = {
    name: 'slipway-system/slipway-webhook',
    read: async () => stored,
    write: async (material) => {
      stored = material;
      return true;
    },
  };
  beforeEach(() => {
    stored = undefined;
    keys = new Keys(makeMaterial());
    keeper = new WebhookKeeper(
      storage,
      keys,
      'slipway-system',
      createLog(() => undefined),
    );
  });

  it('makes a certificate for the Service, signed by the authority that machines get', async () => {
    expect(await keeper.renew()).toBe(true);
    const certificate = new X509Certificate(stored?.certificate ?? '');
    expect(certificate.subjectAltName).toContain('DNS:slipway-webhook.slipway-system.svc');
    expect(certificate.verify(new X509Certificate(stored?.authorities ?? '').publicKey)).toBe(true);
    // Kubernetes takes it for a part of a path.
    expect(stored?.pathSecret).toMatch(/^[0-9a-f]{64}$/);
    expect(await keeper.renew()).toBe(false);
  });

  it('renews it when a third of its life is left, under the same path', async () => {
    await keeper.renew();
    const before = stored;
    expect(await keeper.renew(Date.now() + 19 * DAY_MS)).toBe(false);
    expect(await keeper.renew(Date.now() + 21 * DAY_MS)).toBe(true);
    expect(stored?.certificate).not.toBe(before?.certificate);
    expect(stored?.pathSecret).toBe(before?.pathSecret);
  });

  it('follows a rotation of the authority', async () => {
    await keeper.renew();
    keys.take(rotateMaterial(makeMaterial(), DAY_MS));
    expect(await keeper.renew()).toBe(true);
    expect(stored?.authorities).toBe(keys.trusted);
  });

  it('makes another path where somebody has deleted the Secret', async () => {
    await keeper.renew();
    const before = stored;
    stored = undefined;
    expect(await keeper.renew()).toBe(true);
    expect(stored).not.toMatchObject({ pathSecret: before?.pathSecret });
  });
});

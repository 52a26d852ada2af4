import { createECDH, createHash, createPrivateKey, type JsonWebKeyInput } from 'node:crypto';

/** A key that is the same at every run and of no machine. */
export function knownKey(): string {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(createHash('sha256').update('slipway fuzz').digest());
  const point = pair.getPublicKey();
  const [d, x, y] = [pair.getPrivateKey(), point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString('base64url'),
  );
  const key = { kty: 'EC', crv: 'P-256', d, x, y } as JsonWebKeyInput['key'];
  return createPrivateKey({ format: 'jwk', key }).export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A request and a certificate for that key, as `src/pki` once made them; signatures differ each time. */
export const KNOWN_CSR = `-----BEGIN CERTIFICATE REQUEST-----
MIHMMHMCAQAwETEPMA0GA1UEAwwGbm9kZS0xMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEdlytBmcUt0A0/F12QJoGx1cKgGFfrIBt/Lmp0yfSOTc3d1HryOfDekav
cfEb4ZZETR7a04wUg8eqL+8rbsEDTaAAMAoGCCqGSM49BAMCA0kAMEYCIQDe8/So
ZOyjJhv0+u6pGj7Ip3twOLjQfUAokcNrrvuIWwIhALNRrrzNmsuTNjNftbSKu4hr
GZW/3DZ+Ze4Tf3a5bKqa
-----END CERTIFICATE REQUEST-----
`;
export const KNOWN_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkzCCATigAwIBAgIQXvARWxsH7EOAr8AIQUtOXTAKBggqhkjOPQQDAjAMMQow
CAYDVQQDDAF4MCAXDTI2MDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjARMQ8w
DQYDVQQDDAZub2RlLTEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR2XK0GZxS3
QDT8XXZAmgbHVwqAYV+sgG38uanTJ9I5Nzd3UevI58N6Rq9x8RvhlkRNHtrTjBSD
x6ov7ytuwQNNo3UwczAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNV
HSUEDDAKBggrBgEFBQcDAjAdBgNVHQ4EFgQUI7EOOD2Qt4FQ7quFsHuY3F5BL80w
HwYDVR0jBBgwFoAUI7EOOD2Qt4FQ7quFsHuY3F5BL80wCgYIKoZIzj0EAwIDSQAw
RgIhAIYqEk7nYgCapXF/pJLqIdUg6JihkFWiTW0ABixLq2OAAiEA7TKwZptEY8ev
bnm8eLoimcs79ZZcljYv/gIQxmZnaFY=
-----END CERTIFICATE-----
`;

const WEB_CRYPTO = `
const alg = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const keyPair = () => crypto.subtle.generateKey(alg, true, ['sign', 'verify']);
const [notBefore, notAfter] = [new Date(Date.now() - 86400000), new Date(Date.now() + 3600000)];`;

/** The contest `pki`. node-forge has no elliptic curves and asn1js only DER: what loading them costs. */
export const PKI: Readonly<Record<string, string>> = {
  ours: `import { enrol } from 'ours/pki.ts'; if (!enrol().includes('CERTIFICATE')) process.exit(1);`,
  '@peculiar/x509': `import 'reflect-metadata'; import * as x509 from '@peculiar/x509';${WEB_CRYPTO}
    (async () => {
      const ca = await keyPair(); const keys = await keyPair();
      const root = await x509.X509CertificateGenerator.createSelfSigned({ name: 'CN=bench', notBefore, notAfter, signingAlgorithm: alg, keys: ca,
        extensions: [new x509.BasicConstraintsExtension(true, 0, true)] });
      const text = (await x509.Pkcs10CertificateRequestGenerator.create({ name: 'CN=node', keys, signingAlgorithm: alg })).toString('pem');
      const request = new x509.Pkcs10CertificateRequest(text);
      if (!(await request.verify())) process.exit(1);
      const made = await x509.X509CertificateGenerator.create({ subject: 'CN=node', issuer: root.subject, notBefore, notAfter,
        signingAlgorithm: alg, publicKey: await request.publicKey.export(), signingKey: ca.privateKey,
        extensions: [new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.2'], false)] });
      if (!made.toString('pem').includes('CERTIFICATE')) process.exit(1);
    })();`,
  pkijs: `import * as pkijs from 'pkijs'; import * as asn1js from 'asn1js';${WEB_CRYPTO}
    const name = (value) => new pkijs.AttributeTypeAndValue({ type: '2.5.4.3', value: new asn1js.Utf8String({ value }) });
    const certificate = async (subject, publicKeyInfo, signer, key) => {
      const made = new pkijs.Certificate({ version: 2, serialNumber: new asn1js.Integer({ value: 1 }) });
      made.issuer.typesAndValues.push(name('bench')); made.subject.typesAndValues.push(name(subject));
      made.notBefore.value = notBefore; made.notAfter.value = notAfter;
      if (publicKeyInfo) made.subjectPublicKeyInfo = publicKeyInfo; else await made.subjectPublicKeyInfo.importKey(key);
      await made.sign(signer, 'SHA-256');
      return made.toSchema(true).toBER();
    };
    (async () => {
      const ca = await keyPair(); const keys = await keyPair();
      await certificate('bench', undefined, ca.privateKey, ca.publicKey);
      const request = new pkijs.CertificationRequest(); request.subject.typesAndValues.push(name('node')); request.attributes = [];
      await request.subjectPublicKeyInfo.importKey(keys.publicKey); await request.sign(keys.privateKey, 'SHA-256');
      const read = pkijs.CertificationRequest.fromBER(request.toSchema().toBER());
      if (!(await read.verify())) process.exit(1);
      if ((await certificate('node', read.subjectPublicKeyInfo, ca.privateKey)).byteLength < 200) process.exit(1);
    })();`,
  jsrsasign: `import { KEYUTIL, KJUR } from 'jsrsasign';
    const [ca, keys] = [KEYUTIL.generateKeypair('EC', 'secp256r1'), KEYUTIL.generateKeypair('EC', 'secp256r1')];
    const sigalg = 'SHA256withECDSA';
    const certificate = (subject, key) => new KJUR.asn1.x509.Certificate({ version: 3, serial: { int: 1 }, sigalg, issuer: { str: '/CN=bench' },
      notbefore: '250101000000Z', notafter: '491231235959Z', subject: { str: '/CN=' + subject }, sbjpubkey: key, cakey: ca.prvKeyObj }).getPEM();
    certificate('bench', ca.pubKeyObj);
    const text = new KJUR.asn1.csr.CertificationRequest({ subject: { str: '/CN=node' }, sbjpubkey: keys.pubKeyObj, sigalg, sbjprvkey: keys.prvKeyObj }).getPEM();
    const read = KJUR.asn1.csr.CSRUtil.getParam(text);
    if (!KJUR.asn1.csr.CSRUtil.verifySignature(text)) process.exit(1);
    if (!certificate('node', KEYUTIL.getKey(read.sbjpubkey)).includes('CERTIFICATE')) process.exit(1);`,
  'node-forge, loaded': `import forge from 'node-forge'; if (!forge.pki.createCertificationRequest()) process.exit(1);`,
  'asn1js, loaded': `import { fromBER } from 'asn1js'; if (fromBER(Uint8Array.of(2, 1, 1)).offset !== 3) process.exit(1);`,
};

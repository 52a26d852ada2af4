import { describe, expect, it } from 'vitest';
import { BOOTSTRAP, dns, ip, signingRequest } from './fixtures/requests.ts';
import { HOUR_MS, TestWorld } from './fixtures/world.ts';
import type { Verdict } from './verdict.ts';

const verdict = (is: Verdict['is'], because: RegExp) => ({
  verdict: { is, because: expect.stringMatching(because) },
});
const first = (name = 'n1', more: object = {}) => signingRequest({ node: name }, { ...BOOTSTRAP, ...more });
const renewal = (name = 'n1') => signingRequest({ node: name });
const serving = (...names: (readonly [number, Uint8Array])[]) => signingRequest({ use: 'serving', names });

describe('which Machine a node is', () => {
  it('says the Machine itself, else its name, its addresses, or the machine that proved to be it', async () => {
    const world = new TestWorld()
      .machine('a', { ref: 'n-a' })
      .machine('n-b')
      .machine('c', { addresses: [['InternalDNS', 'IP-10-0-0-3.ec2.internal']] })
      .machine('d')
      .enrolled('d', 'N-D');
    for (const [node, machine] of [
      ...[['n-a', 'a'] as const, ['n-b', 'n-b'] as const],
      ...[['ip-10-0-0-3.ec2.internal', 'c'] as const, ['n-d', 'd'] as const],
    ])
      expect((await world.judge(renewal(node))).member?.name).toBe(machine);
  });

  it('is left alone where no Machine is it, or denied after a while where that is wanted', async () => {
    const world = new TestWorld().machine('n1', { cluster: 'other' });
    const nobody = /no Machine of Cluster default\/c is node n1/;
    expect(await world.judge(renewal())).toEqual(verdict('leave', nobody));
    expect(await world.judge(renewal(), { unknownMs: HOUR_MS })).toEqual(verdict('wait', nobody));
    const old = first('n1', { madeAt: Date.now() - 2 * HOUR_MS });
    expect(await world.judge(old, { unknownMs: HOUR_MS })).toEqual(verdict('deny', nobody));
  });

  it('waits where several Machines could be it', async () => {
    const world = new TestWorld().machine('n1').machine('b', { addresses: [['Hostname', 'n1']] });
    expect(await world.judge(first())).toEqual(verdict('wait', /could be each of the Machines b, n1/));
  });

  it('is not what a machine calls itself that is another one, has a Node, or proved nothing', async () => {
    const taken = new TestWorld().machine('n1').machine('b').enrolled('b', 'n1');
    expect((await taken.judge(first())).member?.name).toBe('n1');
    const has = new TestWorld().machine('b', { ref: 'n-b' }).enrolled('b', 'n1');
    expect(await has.judge(first())).toEqual(verdict('leave', /no Machine/));
    const claim = new TestWorld().machine('b').enrolled('b', 'n1', { by: 'name' });
    expect(await claim.judge(first())).toEqual(verdict('leave', /no Machine/));
    // A Machine that has a Node is not meant by its own name any more.
    const other = new TestWorld().machine('n1', { ref: 'n-b' });
    expect(await other.judge(first())).toEqual(verdict('leave', /no Machine/));
  });

  it('is not what a machine calls itself where that Node is older than its Machine', async () => {
    const world = new TestWorld().machine('b').enrolled('b', 'n1').oldNode('n1');
    const leave = {
      verdict: { is: 'leave', because: expect.stringMatching(/no Machine .*: b calls itself so/) },
    };
    // Neither is the Node given to it, nor is it kept from its own certificate.
    for (const object of [first(), renewal()]) expect(await world.judge(object)).toEqual(leave);
    expect((await world.machine('n1').judge(first())).verdict.is).toBe('approve');
  });

  it.each(['elsewhere/n1', 'default/other', 'elsewhere/other'])(
    'is not said by a NodeBootstrap that is not in the place of its Machine: %s',
    async (at) => {
      // Whoever may write in a namespace speaks for its Machines and for no others.
      const world = new TestWorld().machine('b').enrolled('b', 'n1', { at });
      expect(await world.judge(first())).toEqual(verdict('leave', /no Machine/));
      const demanding = new TestWorld()
        .machine('n1')
        .policy('guarded', { method: 'tpm', kubeletKeys: 'Any' });
      demanding.enrolled('n1', 'n1', { by: 'tpm' }).enrolled('n1', 'n1', { by: 'token', at });
      expect((await demanding.judge(first())).verdict.is).toBe('approve');
      const waiting = new TestWorld().machine('n1').policy('guarded', { method: 'tpm', kubeletKeys: 'Any' });
      waiting.enrolled('n1', 'n1', { by: 'tpm', at });
      expect(await waiting.judge(first())).toMatchObject(verdict('wait', /as policy guarded demands/));
    },
  );

  it('is forgotten with the Machine', async () => {
    const world = new TestWorld().machine('n1').machine('c').enrolled('c', 'n-c');
    world.members.remove('default/n1');
    world.members.remove('default/c');
    expect((await world.judge(first())).verdict.is).toBe('leave');
    expect((await world.judge(first('n-c'))).verdict.is).toBe('leave');
    world.machine('n1', { uid: 'second', ref: 'elsewhere' });
    expect((await world.judge(first())).verdict.is).toBe('leave');
  });
});

describe('a bootstrap token', () => {
  it('gets a certificate for a Machine that has no Node yet', async () => {
    const world = new TestWorld().machine('n1');
    const expected = verdict('approve', /node n1 is Machine default\/n1, which has no Ready Node yet/);
    expect(await world.judge(first())).toMatchObject(expected);
    expect(await world.node('n1', 'Unknown').judge(first())).toMatchObject(expected);
  });

  it('waits while the Node is Ready', async () => {
    const world = new TestWorld().machine('n1').node('n1', 'True');
    expect(await world.judge(first())).toMatchObject(verdict('wait', /its Node is Ready/));
    expect((await world.judge(renewal())).verdict.is).toBe('approve');
  });

  it('counts for a while after the Machine was made, as long as the rules or a policy say', async () => {
    const old = new TestWorld().machine('n1', { madeAt: Date.now() - 3 * HOUR_MS });
    expect(await old.judge(first())).toMatchObject(verdict('deny', /180 minutes .* and counts for 120/));
    expect((await old.judge(first(), { windowMs: 4 * HOUR_MS })).verdict.is).toBe('approve');
    old.policy('p', { method: 'token', window: '1h' }).enrolled('n1', 'n1');
    expect(await old.judge(first(), { windowMs: 4 * HOUR_MS })).toMatchObject(
      verdict('deny', /counts for 60/),
    );
    expect((await old.judge(renewal())).verdict.is).toBe('approve');
  });

  it('does not count for a Machine that was made after it was used', async () => {
    const world = new TestWorld().machine('n1', { madeAt: Date.now() + HOUR_MS });
    expect(await world.judge(first())).toMatchObject(verdict('deny', /before its Machine was made/));
  });
});

describe('a Machine', () => {
  it('that is being deleted gets none', async () => {
    const world = new TestWorld().machine('n1', { deleting: true });
    expect(await world.judge(renewal())).toMatchObject(verdict('deny', /is being deleted/));
  });

  it('gets one only when its machine has proved itself, where a policy demands that', async () => {
    const world = new TestWorld().machine('n1').policy('guarded', { method: 'tpm', kubeletKeys: 'Any' });
    expect(await world.judge(first())).toMatchObject(verdict('wait', /as policy guarded demands/));
    world.enrolled('n1', 'n1', { by: 'token' });
    expect(await world.judge(first())).toMatchObject(verdict('deny', /proves itself by its TPM/));
    world.enrolled('n1', 'n1', { by: 'tpm' });
    expect((await world.judge(first())).verdict.is).toBe('approve');
    world.members.released('default/n1');
    expect(await world.judge(first())).toMatchObject(verdict('wait', /as policy guarded demands/));
  });

  it('gets none by a key that nobody vouches for, whatever the policy says of kubelets, until people name it', async () => {
    const endorsementKey = `sha256:${'a'.repeat(64)}`;
    const enrolment = { method: 'first-use', at: '', endorsementKey };
    for (const kubeletKeys of ['Any', 'First'] as const) {
      const world = new TestWorld().machine('n1').enrolled('n1', 'n1', { by: 'firstUse', enrolment });
      world.policy('guarded', { method: 'tpm', endorsementKeys: { firstUse: true }, kubeletKeys });
      for (const asked of [first(), renewal()])
        expect(await world.judge(asked)).toMatchObject(verdict('wait', /known by first use only/));
      world.machine('n1', { key: endorsementKey });
      const expected =
        kubeletKeys === 'Any' ? verdict('approve', /n1/) : verdict('wait', /not proved this key/);
      expect(await world.judge(first())).toMatchObject(expected);
      world.machine('n1', { key: `sha256:${'b'.repeat(64)}` });
      expect(await world.judge(first())).toMatchObject(verdict('deny', /only the machine with the TPM/));
    }
  });

  it('gets none under a policy that cannot be kept', async () => {
    const world = new TestWorld().machine('n1').enrolled('n1', 'n1', { by: 'tpm' });
    world.policy('odd', { method: 'tpm', window: 'soon' });
    expect(await world.judge(first())).toMatchObject(verdict('wait', /policy odd cannot be kept/));
  });

  it('that names a TPM gets one only for the machine with it', async () => {
    const world = new TestWorld().machine('n1', { key: 'sha256:a' });
    expect(await world.judge(first())).toMatchObject(
      verdict('wait', /as the TPM that is named for it demands/),
    );
    const enrolment = { method: 'tpm', at: '', endorsementKey: 'sha256:b' };
    world.enrolled('n1', 'n1', { by: 'tpm', enrolment });
    expect(await world.judge(first())).toMatchObject(verdict('deny', /takes only the machine with the TPM/));
    world.enrolled('n1', 'n1', { by: 'tpm', enrolment: { ...enrolment, endorsementKey: 'sha256:a' } });
    expect((await world.judge(first())).verdict.is).toBe('approve');
  });

  it('whose infrastructure object may name a TPM waits until that is read, and then for the machine with it', async () => {
    const world = new TestWorld().machine('n1');
    const { infrastructure } = world.directory;
    infrastructure.await('uid-n1');
    expect(await world.judge(first())).toMatchObject(verdict('wait', /object was not read yet/));
    infrastructure.put('uid-n1', 'sha256:a');
    expect(await world.judge(first())).toMatchObject(
      verdict('wait', /as the TPM that is named for it demands/),
    );
    infrastructure.put('uid-n1', undefined);
    expect((await world.judge(first())).verdict.is).toBe('approve');
  });

  it.each([
    ['Quarantined', 'deny', /quarantined/],
    ['Refused', 'deny', /refused: PCR 4/],
    ['Pending', 'wait', /waits to be admitted/],
  ] as const)('of a node that is %s: %s, renewals too', async (state, is, because) => {
    const world = new TestWorld().machine('n1').policy('p', { method: 'token' });
    world.enrolled('n1', 'n1', { admission: { state, at: '', why: 'PCR 4' } });
    for (const object of [first(), renewal()])
      expect(await world.judge(object)).toMatchObject(verdict(is, because));
    world.enrolled('n1', 'n1', { admission: { state: 'Admitted', at: '' } });
    expect((await world.judge(first())).verdict.is).toBe('approve');
  });

  it('in quarantine gets none without a policy either', async () => {
    const world = new TestWorld().machine('n1');
    world.enrolled('n1', 'n1', { admission: { state: 'Quarantined', at: '' } });
    expect((await world.judge(renewal())).verdict.is).toBe('deny');
  });
});

describe('a serving certificate', () => {
  const world = () =>
    new TestWorld().machine('n1', {
      addresses: [
        ...[['InternalIP', '10.0.0.7'] as const, ['InternalIP', 'FD00:0::7'] as const],
        ['ExternalDNS', 'N1.example'],
      ],
    });
  const six = ip(0xfd, ...Array<number>(14).fill(0), 7);

  it('has the names and addresses of its Machine, and its own', async () => {
    const all = serving(dns('n1'), dns('n1.example'), dns('N1'), ip(10, 0, 0, 7), six);
    expect((await world().judge(all)).verdict.is).toBe('approve');
    const mapped = serving(ip(...Array<number>(10).fill(0), 0xff, 0xff, 10, 0, 0, 7));
    expect((await world().judge(mapped)).verdict.is).toBe('approve');
  });

  it.each([
    ['address', ip(10, 0, 0, 8), /not its Machine's: 10\.0\.0\.8/],
    ['name', dns('n2'), /not its Machine's: n2/],
    ['wildcard', dns('*.example'), /\*\.example/],
    ['address as a name', dns('10.0.0.7'), /10\.0\.0\.7/],
    ['address of everybody', ip(0, 0, 0, 0), /0\.0\.0\.0/],
  ])("is denied with another's %s", async (_, name, because) => {
    expect(await world().judge(serving(dns('n1'), name))).toMatchObject(verdict('deny', because));
  });

  it('waits for a Machine that says nothing of its addresses, and for nothing else', async () => {
    const bare = new TestWorld().machine('n1');
    const asked = serving(dns('n1'), ip(10, 0, 0, 7));
    expect(await bare.judge(asked)).toMatchObject(verdict('wait', /nothing of its addresses yet/));
    expect((await bare.judge(serving(dns('n1')))).verdict.is).toBe('approve');
    expect((await bare.judge(serving(dns('n2'), ip(10, 0, 0, 7)))).verdict.is).toBe('deny');
  });

  it("takes the Node's word where that is wanted", async () => {
    const bare = new TestWorld().machine('n1').node('n1', 'True', '10.0.0.7');
    const asked = serving(dns('n1'), ip(10, 0, 0, 7));
    expect((await bare.judge(asked, { trustsNodes: true })).verdict.is).toBe('approve');
    expect((await bare.judge(serving(ip(10, 0, 0, 8)), { trustsNodes: true })).verdict.is).toBe('deny');
  });
});

import { createHash, randomBytes, randomUUID, sign, X509Certificate } from 'node:crypto';
import { Agent, request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { createCsr, createKey } from '../../../src/pki/csr.ts';
import {
  CHALLENGE_PATH,
  CHANNEL_BYTES,
  CHANNEL_LABEL,
  challengeBody,
  ENROLMENT_VERSION,
  proofBody,
  readChallengeReply,
} from '../../../src/protocol/attestation.ts';
import { type EnrolReply, nodeProofBody, nodeProofText } from '../../../src/protocol/enrolment.ts';
import type { EventBody, MachineIdentity, SlipwayEvent } from '../../../src/protocol/events.ts';
import { ENROL_PATH, EVENTS_PATH, WANTS_NODE } from '../../../src/protocol/exchange.ts';
import type { KubeletCertificate } from '../cluster-api/certificates.ts';
import { eventually } from '../eventually.ts';
import type { SimulatedTpm } from '../tpm/simulated-tpm.ts';

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** Names the connection that it came on (RFC 9266). */
  channel: () => Buffer;
}

export interface SimulatedOptions {
  /** Port on 127.0.0.1. */
  port: number;
  /** Authority of the server. */
  ca: string;
  instance?: string;
  hostname?: string;
  providerID?: string;
  /** Name that the server's certificate must have, where it is not the address. */
  serverName?: string;
  /** Address on the loopback that it comes from, so that many machines are not one. */
  from?: string;
}

/**
 * A machine as the controller sees it: the real protocol over real TLS, with a key and a certificate of its own. It keeps
 * what is not acknowledged and sends it again, as the reporter does.
 */
export class SimulatedMachine {
  readonly identity: MachineIdentity;
  readonly key = createKey();
  certificate: string | undefined;
  boot = randomUUID();
  /** Made and not acknowledged. */
  spool: SlipwayEvent[] = [];
  seq = 0;
  mono = 1000;
  #options: SimulatedOptions;
  #agent: Agent | undefined;

  constructor(options: SimulatedOptions) {
    this.#options = options;
    const instance = options.instance ?? `i-${randomBytes(6).toString('hex')}`;
    this.identity = {
      instance,
      hostname: options.hostname ?? instance,
      ...(options.providerID === undefined ? {} : { providerID: options.providerID }),
    };
  }

  /** @throws Error where the controller refuses */
  async enrol(token: string): Promise<void> {
    const answer = await this.post(ENROL_PATH, {
      version: 1,
      token,
      csr: createCsr(this.key, this.identity.instance),
      machine: this.identity,
    });
    if (answer.status !== 200) throw new Error(`enrolment: ${answer.status} ${answer.body}`);
    this.show((JSON.parse(answer.body) as EnrolReply).certificate);
  }

  /** Comes when its Machine has its Node, and shows that it is that Node. @throws Error where the controller refuses */
  async enrolLate(token: string, kubelet: KubeletCertificate): Promise<void> {
    const csr = createCsr(this.key, this.identity.instance);
    const request = { version: 1, token, csr, machine: this.identity };
    const asked = await this.post(ENROL_PATH, request);
    if (JSON.parse(asked.body).wants !== WANTS_NODE)
      throw new Error(`enrolment: ${asked.status} ${asked.body}`);
    const node = nodeProofBody({
      certificate: new X509Certificate(kubelet.certificate).raw,
      authority: new X509Certificate(kubelet.authority).raw,
      signature: sign('sha256', nodeProofText(csr, asked.channel()), kubelet.key),
    });
    const answer = await this.post(ENROL_PATH, { ...request, node });
    if (answer.status !== 200) throw new Error(`enrolment: ${answer.status} ${answer.body}`);
    this.show((JSON.parse(answer.body) as EnrolReply).certificate);
  }

  /**
   * By a token, or as a Machine, that was made just now: a replica hears of it a moment later. Whoever asks too often
   * meanwhile, on a busy host, is told to wait, and does, as a real machine.
   */
  async enrolSoon(token: string): Promise<void> {
    await eventually(`${this.identity.hostname} to enrol`, () =>
      this.enrol(token).then(
        () => true,
        (error: Error) => {
          if (!/enrolment: (401|429|503)/.test(error.message)) throw error;
          return false;
        },
      ),
    );
  }

  /** @throws Error where the controller refuses, or the TPM is none */
  async enrolByTpm(tpm: SimulatedTpm): Promise<void> {
    const csr = createCsr(this.key, this.identity.instance);
    const csrDigest = createHash('sha256').update(csr).digest();
    const { attestationKey, endorsementKey } = tpm;
    const { identity: machine } = this;
    const request = challengeBody({
      ...{ version: ENROLMENT_VERSION, machine, csrDigest, endorsementKey, attestationKey },
    });
    const asked = await this.post(CHALLENGE_PATH, request);
    if (asked.status !== 200) throw new Error(`challenge: ${asked.status} ${asked.body}`);
    const proof = tpm.prove(readChallengeReply(Buffer.from(asked.body)), csrDigest, asked.channel());
    const answer = await this.post(ENROL_PATH, { version: 1, machine, proof: proofBody(proof), csr });
    if (answer.status !== 200) throw new Error(`enrolment: ${answer.status} ${answer.body}`);
    this.show((JSON.parse(answer.body) as EnrolReply).certificate);
  }

  /** Asks for another certificate by the present one. @throws Error where the controller refuses */
  async renew(): Promise<string> {
    const csr = createCsr(this.key, this.identity.instance);
    const answer = await this.post(ENROL_PATH, { version: 1, csr, machine: this.identity });
    if (answer.status !== 200) throw new Error(`renewal: ${answer.status} ${answer.body}`);
    return (JSON.parse(answer.body) as EnrolReply).certificate;
  }

  /** From now on it shows this one. */
  show(certificate: string | undefined): void {
    this.certificate = certificate;
    this.hangUp();
  }

  /** Makes an event and keeps it. */
  tell(body: EventBody, afterMs = 1000): SlipwayEvent {
    this.mono += afterMs;
    this.seq += 1;
    const event = {
      v: 1 as const,
      machine: this.identity,
      boot: this.boot,
      seq: this.seq,
      time: new Date().toISOString(),
      mono: this.mono,
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      ...body,
    };
    this.spool.push(event);
    return event;
  }

  /** Sends what is kept. @returns the number up to which it is stored @throws Error where it is refused */
  async report(): Promise<number> {
    const answer = await this.post(EVENTS_PATH, this.batch(this.spool.slice(0, 128)));
    if (answer.status !== 200) throw new Error(`events: ${answer.status} ${answer.body}`);
    const { stored } = JSON.parse(answer.body) as { stored: number };
    this.spool = this.spool.filter(({ seq }) => seq > stored);
    return stored;
  }

  batch(events: readonly SlipwayEvent[]) {
    return { version: 1, machine: this.identity, reporter: 'simulated', events };
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const { port, ca, from, serverName } = this.#options;
    this.#agent ??= new Agent({
      ca,
      keepAlive: true,
      maxSockets: 1,
      ...(serverName === undefined ? {} : { servername: serverName }),
      ...(this.certificate === undefined ? {} : { cert: this.certificate, key: this.key }),
    });
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          ...{ host: '127.0.0.1', port, path, method: 'POST', agent: this.#agent },
          ...(from === undefined ? {} : { localAddress: from }),
          headers: { 'content-type': 'application/json', 'content-length': bytes.length, ...headers },
          timeout: 60_000,
        },
        (answer) => {
          // The answer forgets it when it is kept for the next request.
          const socket = answer.socket as TLSSocket;
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.once('error', reject);
          answer.once('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              body: Buffer.concat(chunks).toString(),
              channel: () => socket.exportKeyingMaterial(CHANNEL_BYTES, CHANNEL_LABEL, Buffer.alloc(0)),
            }),
          );
        },
      );
      sent.once('timeout', () => sent.destroy(new Error('no answer within a minute')));
      sent.once('error', reject);
      sent.end(bytes);
    });
  }

  /** The next request goes to another replica. */
  connectTo(port: number): void {
    if (port === this.#options.port) return;
    this.#options = { ...this.#options, port };
    this.hangUp();
  }

  hangUp(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }
}

const STEPS = ['files', 'users', 'ntp', 'command-1', 'preflight', 'kubeadm-join', 'command-2'].map((id) => ({
  id,
  title: id.replaceAll('-', ' '),
}));
const SEQUENCE = 'a1b2c3';

/** What a bootstrap of seven steps tells, verdict included: exactly `count` events, at least 20. */
export function bootstrapEvents(count: number, failed = false): EventBody[] {
  const events: EventBody[] = [
    { type: 'fact', name: 'kernel', value: '6.1.0' },
    {
      type: 'sequence.started',
      sequence: SEQUENCE,
      mode: 'bootstrap',
      agent: '0.1.0',
      steps: STEPS,
      resumed: false,
    },
  ];
  const filler = count - 2 - 2 * STEPS.length - 1;
  for (const step of STEPS) {
    events.push({ type: 'step.started', sequence: SEQUENCE, step, attempt: 1 });
    if (step.id === 'kubeadm-join') {
      for (let phase = 0; phase < filler; phase += 1) {
        events.push({
          type: 'step.progress',
          sequence: SEQUENCE,
          step,
          message: `phase ${phase} of kubeadm join`,
        });
      }
    }
    const wrong = failed && step.id === 'kubeadm-join' ? { failure: FAILURE } : {};
    events.push({
      ...{ type: 'step.ended', sequence: SEQUENCE, step, attempt: 1, ms: 1200 },
      result: wrong.failure ? 'failed' : 'done',
      ...wrong,
    });
  }
  events.push({
    ...{ type: 'sequence.ended', sequence: SEQUENCE, mode: 'bootstrap', ms: 42_000 },
    ...(failed
      ? {
          result: 'failed',
          exitStatus: 1,
          failure: FAILURE,
          step: { id: 'kubeadm-join', title: 'kubeadm join' },
        }
      : { result: 'succeeded', exitStatus: 0 }),
  });
  return events;
}

export const FAILURE = {
  code: 'ApiServerUnreachable',
  cause: 'The API server at 10.0.0.1:6443 refused every connection.',
  remedy: 'Check the control plane endpoint of the Cluster and its load balancer.',
  exitStatus: 1,
  lines: ['dial tcp 10.0.0.1:6443: connect: connection refused'],
};

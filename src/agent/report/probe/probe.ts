import { formatMs } from '../../../kit/duration.ts';
import { errorMessage, isExpected } from '../../../kit/errors.ts';
import { CHANNEL_BYTES } from '../../../protocol/attestation.ts';
import { CHECKIN_PATH, CHECKIN_VERSION } from '../../../protocol/check-in/check-in.ts';
import type { MachineIdentity } from '../../../protocol/events.ts';
import { readRefusal } from '../../../protocol/secret-release.ts';
import { machineInstance } from '../../engine/instance.ts';
import { type Host, HostError } from '../../host/host.ts';
import type { HttpClient, HttpResponse, ReachedStep } from '../../host/network.ts';
import { wantsNode } from '../../identity/enrol.ts';
import { EnrolmentRefused } from '../../identity/enrolment-refused.ts';
import { type Identity, readIdentity } from '../../identity/identity.ts';
import { withKeptAuthorities } from '../../identity/kept-authorities.ts';
import { proveNode } from '../../identity/prove-node.ts';
import { readToken } from '../../identity/token.ts';
import { TpmProblem } from '../../identity/tpm/tpm-problem.ts';
import { loadSettings } from '../../settings/load-settings.ts';
import { type ControllerSettings, describeProblem } from '../../settings/settings.ts';
import { failedStep, remedyOf } from './remedies.ts';

const TIMEOUT_MS = 10_000;
/** Certificates are backdated by a day, so this much is no trouble and still worth knowing. */
const CLOCK_MS = 60_000;

/** One thing that was tried. */
interface ProbeResult {
  ok: boolean;
  /** `settings`, `name`, `route`, `TLS`, `answer`, `certificate`, `token`, `TPM`. */
  step: string;
  text: string;
}

interface ProbeOptions {
  readonly host: Host;
  readonly version: string;
  /** Told of each thing as soon as it was tried. */
  readonly tell: (result: ProbeResult) => void;
}

/**
 * Tries whether this machine could report to its controller: settings, then for each endpoint name, route, TLS, and what the
 * machine has to show. It spends no token and changes nothing.
 *
 * @returns whether it could, by at least one endpoint
 */
export async function probe(options: ProbeOptions): Promise<boolean> {
  const { host, tell } = options;
  const { settings, problems } = await loadSettings(host);
  for (const problem of problems)
    tell({ ok: problem.severity !== 'error', step: 'settings', text: describeProblem(problem) });
  const { controller, enabled, providerID } = settings;
  const why = enabled
    ? controller
      ? undefined
      : 'no controller is named. Set report.controller.endpoints, ca, and token, tokenFile or tpm in /etc/slipway/config.yaml.'
    : 'reporting is switched off. Set report.enabled: true.';
  if (why !== undefined || !controller) {
    tell({ ok: false, step: 'settings', text: why ?? '' });
    return false;
  }
  const instance = await machineInstance(host);
  const hostname = host.hostname() || 'localhost';
  const machine = { instance, hostname, ...(providerID === undefined ? {} : { providerID }) };
  const known = await withKeptAuthorities(host, instance, controller);
  const whose = controller.ca === undefined ? 'a well-known authority' : 'report.controller.ca';
  const through = controller.proxy?.https
    ? `, through the proxy ${placeOf(controller.proxy.https)} where it applies`
    : '';
  tell({
    ok: true,
    step: 'settings',
    text: `${controller.endpoints.join(', ')}; its certificate must be signed by ${whose}${through}`,
  });
  let works = false;
  for (const endpoint of controller.endpoints)
    if (await new EndpointProbe(options, known, machine, endpoint.replace(/\/+$/, '')).run()) works = true;
  return works;
}

class EndpointProbe {
  readonly #o: ProbeOptions;
  readonly #settings: ControllerSettings;
  readonly #machine: MachineIdentity;
  readonly #url: string;
  /** Name, route and TLS are told once. */
  #hasWay = false;

  constructor(options: ProbeOptions, settings: ControllerSettings, machine: MachineIdentity, url: string) {
    this.#o = options;
    this.#settings = settings;
    this.#machine = machine;
    this.#url = url;
  }

  async run(): Promise<boolean> {
    const { host } = this.#o;
    const identity = await readIdentity(host, this.#machine.instance);
    if (identity && (await this.#showCertificate(identity))) return true;
    // Without a way there is nobody to show anything else to.
    if (identity && !this.#hasWay) return false;
    const { tpm } = this.#settings;
    if (tpm !== undefined) return this.#showTpm(tpm);
    const token = await readToken(host, this.#settings);
    if (token !== undefined) return this.#showToken(token);
    const said =
      'this machine has no token, and no TPM to get a certificate with: set report.controller.token, tokenFile or tpm.';
    if (!identity && (await this.#ask(undefined, {})))
      this.#tell(false, 'token', `there is no certificate yet, and ${said}`);
    if (identity) this.#tell(false, 'token', said);
    return false;
  }

  async #showCertificate(identity: Identity): Promise<boolean> {
    const answer = await this.#ask(identity, {});
    if (!answer) return false;
    const until = new Date(identity.expiresAt).toISOString().replace('.000Z', 'Z');
    if (answer.status === 200)
      return this.#tell(true, 'certificate', `the controller knows this machine, until ${until}`);
    const { words, reason } = readRefusal(answer.body);
    const said =
      words === undefined
        ? (OF_CERTIFICATE[answer.status] ?? saidBy(answer.status))
        : `the controller says: ${words}`;
    return this.#tell(false, 'certificate', `${said}${explained(reason)}`);
  }

  async #showToken(token: string): Promise<boolean> {
    const answer = await this.#ask(undefined, { token });
    if (!answer) return false;
    if (answer.status === 200)
      return this.#tell(true, 'token', 'the controller would accept this machine; the token was not used up');
    if (wantsNode(answer.body)) return this.#tellLate(answer);
    const { words, reason } = readRefusal(answer.body);
    const { message } = new EnrolmentRefused(answer, 'token');
    if (words !== undefined) return this.#tell(false, 'token', `${sentence(message)}${explained(reason)}`);
    const isOfToken = answer.status === 401 || answer.status === 403;
    const said = isOfToken
      ? `${sentence(message)} Create another one: slipway-controller token create.`
      : saidBy(answer.status);
    return this.#tell(false, 'token', said);
  }

  /** The Machine has its Node already, and the token counts together with the kubelet's certificate of that. */
  async #tellLate(answer: HttpResponse): Promise<boolean> {
    // Made for no request: it only shows whether the machine can make one.
    const proof = await proveNode(this.#o.host, 'slipway report --test', new Uint8Array(CHANNEL_BYTES));
    if (proof)
      return this.#tell(
        true,
        'token',
        "the Machine already has its Node, so the token is valid only together with that Node's kubelet certificate. This machine has a kubelet certificate and presents it when it enrols; the controller then checks that it belongs to that Node. The token was not used up",
      );
    const { message } = new EnrolmentRefused(answer, 'token');
    return this.#tell(
      false,
      'token',
      `${sentence(message)} The kubelet of this machine has no certificate to present (/etc/kubernetes/kubelet.conf); the reporter retries once it has one.`,
    );
  }

  /** The controller names a challenge to a TPM that it would let in. What the TPM has measured counts when it enrols. */
  async #showTpm(path: string): Promise<boolean> {
    const { host } = this.#o;
    if (!this.#hasWay && !(await this.#ask(undefined, {}))) return false;
    const client = this.#client();
    try {
      const { proveByTpm } = await import('../../identity/prove-by-tpm.ts');
      const what = { machine: this.#machine, csr: 'slipway report --test' };
      await proveByTpm(host, path, what, (to, body, exporter) => this.#send(client, to, body, exporter));
      return this.#tell(true, 'TPM', "the controller knows this machine's TPM");
    } catch (error) {
      if (!isExpected(error)) throw error;
      const code = error instanceof TpmProblem ? error.code : undefined;
      return this.#tell(false, 'TPM', `${sentence(errorMessage(error))}${explained(code)}`);
    } finally {
      client.close();
    }
  }

  /** Asks without telling anything. @returns undefined where there is no way; that was told */
  async #ask(identity: Identity | undefined, more: object): Promise<HttpResponse | undefined> {
    const client = this.#client(identity);
    let reached: ReachedStep | undefined;
    let address = '';
    const note = (step: ReachedStep, at?: string): void => {
      reached = step;
      if (at !== undefined) address = at;
    };
    try {
      const body = Buffer.from(JSON.stringify({ version: CHECKIN_VERSION, machine: this.#machine, ...more }));
      const answer = await this.#send(client, CHECKIN_PATH, body, undefined, note);
      this.#tellWay('answer', address, answer.headers.date);
      this.#hasWay = true;
      return answer;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      if (error.errno === 'ECLIENTCERT') {
        this.#tellWay('answer', address);
        this.#hasWay = true;
        this.#tell(false, 'certificate', `${error.message}.`);
        return undefined;
      }
      const step = failedStep(error, reached);
      this.#tellWay(step, address);
      this.#tell(false, NAMES[step], `${error.message}. ${remedyOf(step, error, this.#url)}`);
      return undefined;
    } finally {
      client.close();
    }
  }

  /** What went well before `end`. */
  #tellWay(end: keyof typeof NAMES, address: string, date?: string): void {
    if (this.#hasWay) return;
    const { host } = new URL(this.#url);
    const isProxied = address === '' && end !== 'name' && end !== 'route';
    if (end === 'name') return;
    this.#tell(true, 'name', isProxied ? `${host}, which the proxy resolves` : host);
    if (end === 'route') return;
    this.#tell(true, 'route', isProxied ? 'through the proxy' : `${address} accepts the connection`);
    if (end === 'tls') return;
    this.#tell(
      true,
      'TLS',
      `the certificate is signed by this authority and valid for this name${this.#clock(date)}`,
    );
  }

  #clock(date: string | undefined): string {
    const offMs = this.#o.host.clock.now().getTime() - Date.parse(date ?? '');
    if (Number.isNaN(offMs) || Math.abs(offMs) < CLOCK_MS) return '';
    return `; this machine's clock is ${formatMs(Math.abs(offMs))} ${offMs > 0 ? 'ahead of' : 'behind'} the controller's`;
  }

  #client(identity?: Identity): HttpClient {
    const { ca, proxy } = this.#settings;
    return this.#o.host.network.client({
      minTls: 'TLSv1.3',
      ...(ca === undefined ? {} : { ca }),
      ...(identity ? { certificate: identity.certificate, key: identity.key } : {}),
      ...(proxy ? { proxy } : {}),
    });
  }

  #send(
    client: HttpClient,
    path: string,
    body: Uint8Array,
    exporter?: { label: string; bytes: number },
    reached?: (step: ReachedStep, address?: string) => void,
  ): Promise<HttpResponse> {
    return client.send({
      method: 'POST',
      url: `${this.#url}${path}`,
      headers: { 'content-type': 'application/json', 'user-agent': `slipway/${this.#o.version}` },
      body,
      timeoutMs: TIMEOUT_MS,
      ...(exporter ? { exporter } : {}),
      ...(reached ? { reached } : {}),
    });
  }

  #tell(ok: boolean, step: string, text: string): boolean {
    this.#o.tell({ ok, step, text });
    return ok;
  }
}

const NAMES = { name: 'name', route: 'route', tls: 'TLS', answer: 'answer' } as const;

const OF_CERTIFICATE: Readonly<Record<number, string>> = {
  401: 'the controller no longer knows this certificate: its NodeBootstrap was deleted, or the certificate was replaced or has expired.',
};

/** Whatever was shown. */
const ANSWERS: Readonly<Record<number, string>> = {
  404: "this controller's release does not support this test; update it, or check journalctl -u slipway-report.",
  429: 'too many requests to the controller from here; try again in a minute.',
  503: 'the controller cannot answer now: it is busy, or the Cluster is paused; try again, and check its log.',
};

function saidBy(status: number): string {
  return ANSWERS[status] ?? `the controller answers with status ${status}.`;
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

function explained(reason: string | undefined): string {
  return reason === undefined ? '' : ` (slipway explain ${reason})`;
}

/** A proxy's URL without what it is logged in by. */
function placeOf(proxy: string): string {
  return URL.canParse(proxy) ? new URL(proxy).host : 'a proxy';
}

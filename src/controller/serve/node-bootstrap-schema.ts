import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import type { Log } from '../log.ts';
import { API_VERSION } from '../store/node-bootstrap.ts';

const NAME = 'nodebootstraps.slipway.dev';
const PATH = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${NAME}`;

/** What NodeBootstraps of this cluster can hold. An earlier CustomResourceDefinition refuses the one and drops the other. */
interface NodeBootstrapSchema {
  /** `spec.machine.by: lateToken` */
  readonly hasLateTokens: boolean;
  /** `spec.verdict` */
  readonly hasVerdicts: boolean;
}

/** The parts of a CustomResourceDefinition that are read. */
interface Definition {
  spec: { versions: { name: string; schema?: { openAPIV3Schema?: Schema } }[] };
}

interface Schema {
  properties?: Readonly<Record<string, Schema>>;
  enum?: readonly unknown[];
}

/**
 * Looks once whether the CustomResourceDefinition is that of this release, and says so where it is not. What nobody may read
 * counts as an earlier one: then nothing is lost without a word.
 */
export async function readNodeBootstrapSchema(client: KubeClient, log: Log): Promise<NodeBootstrapSchema> {
  let definition: Definition;
  try {
    definition = await client.request<Definition>('GET', PATH);
  } catch (error) {
    if (!isStatus(error, 403) && !isStatus(error, 404)) throw error;
    const remedy = isStatus(error, 403) ? 'apply manifests/rbac' : 'apply manifests/crd';
    warn(log, `the CustomResourceDefinition ${NAME} cannot be read`, remedy, [LATE_TOKENS, VERDICTS]);
    return { hasLateTokens: false, hasVerdicts: false };
  }
  const version = API_VERSION.split('/')[1];
  const { schema } = definition.spec.versions.find(({ name }) => name === version) ?? {};
  const { machine, verdict } = schema?.openAPIV3Schema?.properties?.spec?.properties ?? {};
  const hasLateTokens = machine?.properties?.by?.enum?.includes('lateToken') ?? false;
  const hasVerdicts = verdict !== undefined;
  const off = [...(hasLateTokens ? [] : [LATE_TOKENS]), ...(hasVerdicts ? [] : [VERDICTS])];
  if (off.length > 0)
    warn(log, `the CustomResourceDefinition ${NAME} is of an earlier release`, 'apply manifests/crd', off);
  return { hasLateTokens, hasVerdicts };
}

const LATE_TOKENS = 'machines that come after their Node cannot enrol by their token';
const VERDICTS = 'clusterctl move takes no verdict along';

function warn(log: Log, what: string, remedy: string, off: readonly string[]): void {
  log.warn(what, { off: off.join('; '), remedy: `${remedy}, then restart the controller` });
}

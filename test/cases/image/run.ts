import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { root } from '../../../build/project.ts';
import { buildImage } from '../../lab/images/image-build.ts';
import { openLab } from '../../lab/lab.ts';
import { bootstrapEvents, SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { acceptComponents } from './components.ts';
import { expectConfined } from './confined.ts';
import { Deployed, SERVICE } from './deployed.ts';
import { importImage, manageOneNode } from './node.ts';
import { Relay } from './relay.ts';
import { replaceLeader } from './replaced.ts';

export const about =
  "the controller's image, built from its Containerfile, runs in a real cluster as the manifests deploy it";

const CONTAINERFILE = 'images/slipway-controller/Containerfile';

export async function run(say: (line: string) => void): Promise<void> {
  const lab = await openLab({ say });
  const folder = await mkdtemp(join(tmpdir(), 'slipway-image-'));
  try {
    const tar = join(folder, 'image.tar');
    const [machine] = await Promise.all([
      manageOneNode(lab),
      buildImage(CONTAINERFILE, deployedImage(), tar, say),
    ]);
    await importImage(machine, tar);
    say('a cluster of one machine, and the image');
    const deployed = await Deployed.apply(machine);
    say('kubectl apply -k manifests: every replica is ready');
    try {
      await expectDeployed(deployed, say);
    } catch (error) {
      say(await deployed.lastWords());
      throw error;
    }
  } finally {
    await lab.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function expectDeployed(deployed: Deployed, say: (line: string) => void): Promise<void> {
  await expectConfined(deployed);
  say(
    'the pods run as nobody, on a root they cannot write to, with no capability and with the rights they need',
  );
  await reportThrough(deployed, say);
  await acceptComponents(deployed);
  say('dist/addon-components.yaml is accepted as clusterctl would fill it in');
}

/** Machines enrol and report through the Service, with what commands in a pod print. */
async function reportThrough(deployed: Deployed, say: (line: string) => void): Promise<void> {
  const [pod] = await deployed.pods();
  assert.ok(pod);
  const ca = await deployed.inPod(pod, 'slipway-controller', 'ca');
  const relay = await Relay.open(deployed.machine, `${deployed.address}:8443`);
  const enrol = async (name: string): Promise<SimulatedMachine> => {
    await deployed.createMachine(name);
    const token = await deployed.inPod(pod, 'slipway-controller', 'token', 'create', '--namespace=default');
    const machine = new SimulatedMachine({
      ...{ port: relay.port, ca, serverName: SERVICE },
      ...{ instance: name, hostname: name },
    });
    await machine.enrolSoon(token.trim());
    return machine;
  };
  try {
    const first = await enrol('m1');
    for (const event of bootstrapEvents(20)) first.tell(event);
    assert.equal(await first.report(), 20);
    await deployed.bootstrapped('m1');
    first.hangUp();
    say('a machine enrols and reports through the Service; its Machine is bootstrapped');

    const second = await enrol('m2');
    await replaceLeader(deployed, second);
    await deployed.bootstrapped('m2');
    second.hangUp();
    say('the leader was deleted: it drained and ended by itself, the other leads, no report was refused');
    await expectReadable(deployed);
    say('kubectl shows both machines, and the admin port answers');
  } finally {
    relay.close();
  }
}

async function expectReadable(deployed: Deployed): Promise<void> {
  const [head = '', ...rows] = (
    await deployed.kubectl('get', 'nodebootstraps', '--all-namespaces', '--output=wide')
  )
    .trim()
    .split('\n');
  const crd = load(readFileSync(join(root, 'manifests/crd/slipway.dev_nodebootstraps.yaml'), 'utf8')) as {
    spec: { versions: [{ additionalPrinterColumns: { name: string }[] }] };
  };
  const columns: string[] = crd.spec.versions[0].additionalPrinterColumns.map(
    ({ name }: { name: string }) => name,
  );
  assert.deepEqual(
    head.split(/\s{2,}/),
    ['Namespace', 'Name', ...columns].map((name) => name.toUpperCase()),
  );
  assert.equal(rows.length, 2);
  for (const [index, row] of rows.entries()) {
    const name = `m${index + 1}`;
    assert.match(
      row,
      new RegExp(`^default +${name} +${name} +Succeeded .*The machine bootstrapped in .* name *$`),
    );
  }
  await deployed.ready();
  const leader = await deployed.leader();
  for (const { name, ip } of await deployed.pods()) {
    const ask = (where: string) => deployed.machine.execOk(['curl', '-sSf', `http://${ip}:${where}`]);
    const metrics = await ask('8080/metrics');
    assert.match(metrics, new RegExp(`^slipway_leader ${name === leader ? 1 : 0}$`, 'm'));
    assert.match(metrics, /^slipway_nodes 2$/m);
    assert.equal(await ask('8081/healthz'), 'ok\n');
  }
}

function deployedImage(): string {
  const { spec } = load(readFileSync(join(root, 'manifests/controller/deployment.yaml'), 'utf8')) as {
    spec: { template: { spec: { containers: [{ image: string }] } } };
  };
  return spec.template.spec.containers[0].image;
}

import { bounded } from './bounded.ts';
import { deployed } from './deployed.ts';
import { flood } from './flood.ts';
import { hostile } from './hostile.ts';
import { kubelets } from './kubelets.ts';
import { realKubelet } from './real-kubelet.ts';
import { Scene } from './scene.ts';
import { tenants } from './tenants.ts';

export const about =
  "certificate requests of kubelets, decided by the approver with its manifests' rights, at a real API server, signed by kube-controller-manager; and those of a real kubelet";

export async function run(say: (line: string) => void): Promise<void> {
  const scene = await Scene.open(say);
  try {
    await kubelets(scene);
    await deployed(scene);
    await hostile(scene);
    await flood(scene);
    await tenants(scene);
    await bounded(scene);
  } catch (error) {
    say(`the approver's last words:\n${scene.log.split('\n').slice(-12).join('\n')}`);
    throw error;
  } finally {
    await scene.close();
  }
  await realKubelet(say);
}

// Stands in for kubeadm.exe: node.exe under that name runs this for `kubeadm join ...`. It says what a real kubeadm has said (a
// transcript of src/agent/diagnosis/fixtures), ends as that did, and leaves the files that a real join leaves. S:\behaviour tells how it goes.
const { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');

const words = process.argv.slice(2);
const behaviour = readFileSync('S:\\behaviour', 'utf8').trim();
// The next one joins.
if (behaviour === 'fail-once') writeFileSync('S:\\behaviour', 'join');
appendFileSync('S:\\calls', `join ${words.join(' ')}\n`);
const config =
  words.find((word) => word.startsWith('--config='))?.slice('--config='.length) ??
  words[words.indexOf('--config') + 1];
if (!/kind: "?JoinConfiguration/.test(readFileSync(config, 'utf8')))
  throw new Error(`${config} is no configuration`);

const transcript = readFileSync('S:\\transcript', 'latin1');
const [, stdout = transcript, stderr = ''] = /##### stdout\n(.*?)##### stderr\n(.*)/s.exec(transcript) ?? [];
process.stdout.write(stdout);
process.stderr.write(stderr);
if (behaviour.startsWith('fail')) process.exit(Number(/^# exit: (\d+)$/m.exec(transcript)?.[1]));
if (existsSync('C:\\etc\\kubernetes\\kubelet.conf')) {
  process.stderr.write(
    'error execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists\n',
  );
  process.exit(1);
}
for (const folder of ['C:\\etc\\kubernetes', 'C:\\var\\lib\\kubelet\\pki'])
  mkdirSync(folder, { recursive: true });
writeFileSync('C:\\var\\lib\\kubelet\\config.yaml', 'kind: KubeletConfiguration\n');
writeFileSync('C:\\etc\\kubernetes\\kubelet.conf', readFileSync('S:\\kubelet.conf'));
if (behaviour === 'hang') {
  writeFileSync('S:\\hangs', '');
  setInterval(() => undefined, 1000);
} else {
  writeFileSync('C:\\var\\lib\\kubelet\\pki\\kubelet-client-current.pem', readFileSync('S:\\client.pem'));
  process.stdout.write('\nThis node has joined the cluster:\n');
}

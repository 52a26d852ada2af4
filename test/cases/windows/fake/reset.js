// `kubeadm reset`: takes away what join.js leaves.
const { appendFileSync, rmSync } = require('node:fs');

appendFileSync('S:\\calls', 'reset\n');
for (const path of ['C:\\etc\\kubernetes\\kubelet.conf', 'C:\\var\\lib\\kubelet'])
  rmSync(path, { recursive: true, force: true });

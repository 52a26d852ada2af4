// `kubeadm version -o short`
console.log('v1.31.4');

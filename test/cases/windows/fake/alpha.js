// `kubeadm alpha`: a status that Unix would cut to eight bits.
process.exit(1001);

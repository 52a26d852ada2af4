/** Where the binary lies in a machine image. */
export const BINARY = '/usr/local/bin/slipway';

/**
 * cloud-init does the whole job where it runs, with Slipway as its kubeadm; so the service stands back there.
 * KillMode=process: when the agent is killed, the kubeadm that it started goes on, and the next agent takes it over.
 */
export const SERVICE_UNIT = `[Unit]
Description=Slipway: bootstrap this machine as a Kubernetes node
Wants=network-online.target slipway-report.service
After=network-online.target containerd.service local-fs.target
ConditionPathExists=|!/usr/bin/cloud-init
ConditionPathExists=|/etc/cloud/cloud-init.disabled

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=${BINARY} bootstrap
KillMode=process
TimeoutStartSec=infinity
TimeoutStopSec=30
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=1 2 3 75
StandardOutput=journal+console
StandardError=journal+console

[Install]
WantedBy=multi-user.target
`;

import { BINARY } from './service-unit.ts';

/**
 * The reporter, from early in the boot until there is nothing left to report (status 0); whatever else ends it, it comes
 * back. It reads nearly everything and writes next to nothing, so it gets no capability and a read-only system.
 * RuntimeDirectoryPreserve: /run/slipway is the agent's too. ReadOnlyPaths instead of ProtectKernelTunables and
 * ProtectControlGroups: those mount /proc/sys anew, which in a container hides the boot id that the agent sees. V8 cannot do with MemoryDenyWriteExecute.
 * Of malloc it wants one arena instead of one a thread, and that what was freed at the heap's end is given back.
 */
export const REPORT_UNIT = `[Unit]
Description=Slipway: report on the bootstrap of this machine
DefaultDependencies=no
Requires=local-fs.target
After=local-fs.target systemd-journald.socket cloud-init-local.service
Before=shutdown.target
Conflicts=shutdown.target
StartLimitIntervalSec=0

[Service]
ExecStart=${BINARY} report
Environment=MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536
Restart=always
RestartSec=1
RestartPreventExitStatus=0
TimeoutStopSec=10
SyslogIdentifier=slipway-report
StateDirectory=slipway
StateDirectoryMode=0700
RuntimeDirectory=slipway
RuntimeDirectoryMode=0755
RuntimeDirectoryPreserve=yes
ConfigurationDirectory=slipway
ReadWritePaths=-/etc/slipway -/var/lib/hyperv
OOMScoreAdjust=-900
CapabilityBoundingSet=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ReadOnlyPaths=/proc/sys /sys
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_VSOCK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native

[Install]
WantedBy=sysinit.target
`;

import type { Host } from '../../../host/host.ts';
import { basesOf, MetadataClient } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { elementAt, parseXml } from '../../../platform/metadata/xml.ts';
import type { SourceCallback } from '../contract/answer.ts';

/** Azure's fabric, at one address in all regions. */
const WIRESERVER = 'http://168.63.129.16';
const HEADERS = { 'x-ms-agent-name': 'WALinuxAgent', 'x-ms-version': '2012-11-30' };

/**
 * Azure lets a machine's provisioning fail after some 20 minutes unless it reports that it is ready: for its own goal state,
 * whose number, container and instance it names. It is due once the user data was read; what comes of it is another matter.
 */
export function readyCallback(host: Host, patienceMs: number): SourceCallback {
  return {
    when: 'read',
    title: 'report to Azure that the machine is provisioned',
    async run() {
      const client = new MetadataClient(host, {
        ...{
          bases: basesOf(WIRESERVER),
          headers: HEADERS,
          patienceMs,
          redirects: 'never',
          called: "Azure's fabric",
        },
      });
      try {
        const goal = await client.text('/machine/?comp=goalstate', { absent: [], passing: [404, 410] });
        const body = Buffer.from(healthReport(goal ?? ''));
        await client.answer('/machine?comp=health', {
          ...{ method: 'POST', body, headers: { 'Content-Type': 'text/xml; charset=utf-8' }, absent: [] },
        });
      } finally {
        client.close();
      }
    },
  };
}

function healthReport(goal: string): string {
  const state = parseXml(goal);
  const container = elementAt(state, 'Container');
  const incarnation = elementAt(state, 'Incarnation')?.text.trim();
  const containerId = elementAt(container, 'ContainerId')?.text.trim();
  const instance = elementAt(container, 'RoleInstanceList', 'RoleInstance', 'InstanceId')?.text.trim();
  if (!incarnation || !containerId || !instance)
    throw new SourceError('refused', "Azure's goal state has no incarnation, container or instance.");
  return `<?xml version="1.0" encoding="utf-8"?>
<Health xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">
  <GoalStateIncarnation>${escaped(incarnation)}</GoalStateIncarnation>
  <Container>
    <ContainerId>${escaped(containerId)}</ContainerId>
    <RoleInstanceList>
      <Role>
        <InstanceId>${escaped(instance)}</InstanceId>
        <Health><State>Ready</State></Health>
      </Role>
    </RoleInstanceList>
  </Container>
</Health>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

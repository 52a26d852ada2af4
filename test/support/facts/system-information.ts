import assert from 'node:assert/strict';
import { blockDevices, cpu, mem, networkInterfaces, osInfo } from 'systeminformation';
import type { Facts } from '../../../src/agent/facts/reading/facts.ts';

/**
 * Compares facts of this machine with what systeminformation says of it. Left out is what it reads wrongly or shortens: the processor's
 * brand, the hypervisor, and disks without `lsblk`.
 */
export async function compareWithSystemInformation(facts: Facts): Promise<void> {
  const [processors, memory, devices, links, system] = await Promise.all([
    cpu(),
    mem(),
    blockDevices(),
    networkInterfaces(),
    osInfo(),
  ]);
  assert.equal(facts.cpu.sockets, processors.processors);
  assert.equal(facts.cpu.cores, processors.physicalCores);
  assert.equal(facts.cpu.threads, processors.cores);
  assert.equal(facts.cpu.flags.join(' '), processors.flags);
  assert.equal(facts.memory.bytes, memory.total);
  assert.equal(facts.memory.swapBytes, memory.swaptotal);
  assert.equal(facts.kernel.release, system.kernel);

  const sizes = new Map(devices.map(({ name, size }) => [name, size]));
  for (const { name, bytes } of facts.disks) assert.equal(bytes, sizes.get(name), name);

  const byName = new Map([links].flat().map((link) => [link.iface, link]));
  for (const { name, mac, mtu, state, addresses } of facts.interfaces) {
    const theirs = byName.get(name);
    assert.deepEqual({ mac, mtu, state }, { mac: theirs?.mac, mtu: theirs?.mtu, state: theirs?.operstate });
    const theirAddresses = [theirs?.ip4, theirs?.ip6].filter((address) => address);
    const ours = new Set(addresses.map((address) => address.split('/')[0]));
    for (const address of theirAddresses) assert.ok(ours.has(address), `${name} lacks ${address}`);
  }
}

// The machine as nested groups: NUMA node, host bridge, switches, devices. Bridges that hold one
// thing only are left out, as lstopo does.

import type { PciPosition } from './data.ts';
import type { Nic, Place, Run } from './model.ts';
import { shortAddress } from './words.ts';

export interface Group {
  label: string; // empty: nothing that deserves a box
  kind: 'machine' | 'numa' | 'bridge' | 'switch';
  key: string;
  place: Place | null; // of a NUMA node with memory
  groups: Group[];
  nics: Nic[];
  gpus: Place[];
}

interface Device {
  nic?: Nic;
  gpu?: Place;
  position: PciPosition | null;
}

function makeGroup(kind: Group['kind'], label: string, key: string): Group {
  return { kind, label, key, place: null, groups: [], nics: [], gpus: [] };
}

// The chain of groups that a device is in, outermost first.
function chainOf(position: PciPosition | null): { kind: Group['kind']; label: string; key: string }[] {
  const numa = position?.numa_node ?? null;
  const chain: { kind: Group['kind']; label: string; key: string }[] = [
    numa === null
      ? { kind: 'numa', label: 'NUMA node unknown', key: 'numa?' }
      : { kind: 'numa', label: `NUMA node ${numa}`, key: `numa${numa}` },
  ];
  if (position?.host_bridge) {
    chain.push({ kind: 'bridge', label: `host bridge ${position.host_bridge}`, key: position.host_bridge });
  }
  for (const bridge of position?.bridges ?? []) {
    chain.push({ kind: 'switch', label: `switch ${shortAddress(bridge)}`, key: bridge });
  }
  return chain;
}

// A bridge with a single child gives way to it: a switch's own ports and root ports say nothing.
function simplify(group: Group): Group {
  const groups: Group[] = [];
  for (const child of group.groups.map(simplify)) {
    const devices = child.nics.length + child.gpus.length;
    if (child.kind === 'switch' && child.groups.length === 0 && devices <= 1) {
      group.nics.push(...child.nics);
      group.gpus.push(...child.gpus);
    } else if (child.kind !== 'numa' && devices === 0 && child.groups.length === 1) {
      // The outer name stays: people say the topmost bridge of a switch.
      groups.push(
        child.kind === 'switch' ? { ...child.groups[0], label: child.label, key: child.key } : child.groups[0],
      );
    } else {
      groups.push(child);
    }
  }
  return { ...group, groups };
}

function devicesOf(run: Run): Device[] {
  const gpus = run.places.filter((place) => place.kind !== 'host');
  return [...gpus.map((gpu) => ({ gpu, position: gpu.info })), ...run.nics.map((nic) => ({ nic, position: nic.info }))];
}

export function machineTree(run: Run): Group {
  const root = makeGroup('machine', '', 'machine');
  for (const place of run.places.filter((candidate) => candidate.kind === 'host')) {
    const node = makeGroup('numa', `NUMA node ${place.key.slice(4)}`, place.key);
    node.place = place;
    root.groups.push(node);
  }
  for (const device of devicesOf(run)) {
    let at = root;
    for (const link of chainOf(device.position)) {
      let next = at.groups.find((group) => group.key === link.key && group.kind === link.kind);
      if (!next) {
        next = makeGroup(link.kind, link.label, link.key);
        at.groups.push(next);
      }
      at = next;
    }
    if (device.nic) at.nics.push(device.nic);
    if (device.gpu) at.gpus.push(device.gpu);
  }
  return simplify(root);
}

// The innermost groups that hold NICs, in the tree's order: the row groups of the heat map.
export function groupsOf(run: Run): Group[] {
  const found: Group[] = [];
  const walk = (group: Group): void => {
    if (group.nics.length > 0) found.push(group);
    group.groups.forEach(walk);
  };
  walk(machineTree(run));
  return found;
}

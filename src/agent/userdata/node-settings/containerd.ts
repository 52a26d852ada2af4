import { omitUndefined } from '../../../kit/json.ts';
import type { ContainerdSettings, MirrorSettings, RegistrySettings } from '../../document/node-settings.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import type { Fields } from '../../text/yaml/fields.ts';
import { certificates, sections, url } from './fields.ts';

const CAPABILITIES = ['pull', 'resolve', 'push'] as const;

/** `containerd`: `cgroupDriver`, `sandboxImage`, `registries`. */
export function readContainerd(fields: Fields, diagnostics: Diagnostics): ContainerdSettings {
  const driver = fields.text('cgroupDriver');
  const sandboxImage = fields.text('sandboxImage');
  if (driver !== undefined && driver !== 'systemd' && driver !== 'cgroupfs')
    fields.wrong('cgroupDriver', 'cgroupDriver must be systemd or cgroupfs.');
  if (sandboxImage !== undefined && !/^[A-Za-z0-9][A-Za-z0-9.:/@_-]*$/.test(sandboxImage))
    fields.wrong('sandboxImage', 'sandboxImage must be the name of an image.');
  const registries = sections(
    fields.node('registries'),
    'slipway.containerd.registries',
    diagnostics,
  ).flatMap((item) => readRegistry(item, diagnostics) ?? []);
  fields.refuseUnknown();
  return {
    ...(driver === 'systemd' || driver === 'cgroupfs' ? { cgroupDriver: driver } : {}),
    ...(sandboxImage === undefined ? {} : { sandboxImage }),
    registries: withoutDoubles(registries, fields),
  };
}

function readRegistry(fields: Fields, diagnostics: Diagnostics): RegistrySettings | undefined {
  const host = fields.text('host');
  const server = url(fields, 'server');
  const ca = certificates(fields, 'ca');
  const settings = {
    skipVerify: fields.bool('skipVerify', false),
    mirrors: sections(fields.node('mirrors'), 'slipway.containerd.registries.mirrors', diagnostics).flatMap(
      (item) => readMirror(item) ?? [],
    ),
  };
  fields.refuseUnknown();
  if (host === undefined || !isHost(host)) {
    fields.wrong('host', 'host must be a registry as in names of images, such as docker.io, or _default.');
    return undefined;
  }
  return {
    host,
    ...omitUndefined({ server, ca }),
    ...settings,
  };
}

function readMirror(fields: Fields): MirrorSettings | undefined {
  const address = url(fields, 'url');
  const ca = certificates(fields, 'ca');
  const capabilities = fields.node('capabilities') ? fields.texts('capabilities') : ['pull', 'resolve'];
  const known = capabilities.filter((name) => CAPABILITIES.some((other) => other === name));
  if (known.length < capabilities.length)
    fields.wrong('capabilities', 'capabilities may hold pull, resolve and push.');
  const settings = {
    skipVerify: fields.bool('skipVerify', false),
    overridePath: fields.bool('overridePath', false),
    capabilities: known as MirrorSettings['capabilities'],
  };
  fields.refuseUnknown();
  if (address === undefined) {
    if (!fields.has('url')) fields.wrong('url', 'a mirror has no url.');
    return undefined;
  }
  return { url: address, ...(ca === undefined ? {} : { ca }), ...settings };
}

/** It becomes the name of a directory. */
const isHost = (text: string): boolean =>
  text === '_default' || /^[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?$/.test(text);

function withoutDoubles(registries: RegistrySettings[], fields: Fields): RegistrySettings[] {
  const seen = new Set<string>();
  for (const { host } of registries) {
    if (seen.has(host)) fields.wrong('registries', `${host} is given twice.`);
    seen.add(host);
  }
  return registries;
}

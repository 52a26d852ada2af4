import type { PlatformInfo } from '../../../platform/platform-info.ts';
import { MAX_RAW_BYTES } from '../../../text/limits.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import type { SourceContext } from '../detection/source.ts';

/** What `qemu -fw_cfg name=opt/com.coreos/config,file=...` gives; only root may read it. */
const CONFIG = '/sys/firmware/qemu_fw_cfg/by_name/opt/com.coreos/config/raw';

export async function detectFwCfg({ has }: PlatformInfo): Promise<string | undefined> {
  return (await has(CONFIG)) ? `${CONFIG} is there` : undefined;
}

/** QEMU's firmware configuration, with the user data under the name that Ignition uses. */
export async function readFwCfg({ machine }: SourceContext): Promise<SourceAnswer> {
  const userData = await machine.host.files.readIfPresent(CONFIG, MAX_RAW_BYTES);
  return found({
    source: 'fw-cfg (opt/com.coreos/config)',
    userData: userData ?? Buffer.alloc(0),
    metaData: { 'instance-id': machine.dmi('product_uuid').toLowerCase() || 'fw-cfg' },
  });
}

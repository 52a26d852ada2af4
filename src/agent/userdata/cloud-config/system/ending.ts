import { omitUndefined } from '../../../../kit/json.ts';
import { sensitive } from '../../../../secrets/sensitive.ts';
import { pythonText } from '../../../text/yaml/yaml-node.ts';
import { fieldsOf, type SystemReader } from './system-reader.ts';

const PHONE_HOME_KEYS: readonly string[] = [
  'pub_key_rsa',
  'pub_key_ecdsa',
  'pub_key_ed25519',
  'instance_id',
  'hostname',
  'fqdn',
];

/** `phone_home`: tells a web server of the machine when everything is done. */
export const phoneHome: SystemReader<'phoneHome'> = {
  name: 'phoneHome',
  read(find, { report, hostname }) {
    const fields = fieldsOf(find, 'phone_home', report);
    if (fields === undefined) return undefined;
    const url = fields.text('url');
    if (url === undefined || !/^https?:\/\//.test(url) || !URL.canParse(url.replaceAll(/[{}$]/g, '')))
      fields.wrong('url', 'url must begin with http:// or https://.');
    const asked = fields.node('post');
    const isAll = asked === undefined || (asked.kind === 'string' && asked.value === 'all');
    const post = isAll ? [...PHONE_HOME_KEYS] : fields.texts('post', true);
    for (const key of post.filter((each) => !PHONE_HOME_KEYS.includes(each)))
      fields.warn('post', `${key.slice(0, 60)} is not known; N/A is sent for it.`);
    const tries = Number(fields.looseText('tries') ?? '10');
    fields.finish();
    return {
      url: sensitive(url ?? ''),
      post,
      tries: Number.isInteger(tries) && tries > 0 ? Math.min(tries, 100) : 10,
      ...(hostname === undefined ? {} : { hostname }),
    };
  },
};

/** `final_message`: with `$UPTIME`, `$TIMESTAMP`, `$VERSION` and `$DATASOURCE`, or the same as jinja's variables. */
export const finalMessage: SystemReader<'finalMessage'> = {
  name: 'finalMessage',
  read(find) {
    const node = find('final_message');
    const template = node && pythonText(node)?.trim();
    return template ? { template } : undefined;
  },
};

/** `power_state`: after the verdict. */
export const powerState: SystemReader<'powerState'> = {
  name: 'powerState',
  read(find, { report }) {
    const fields = fieldsOf(find, 'power_state', report);
    if (fields === undefined) return undefined;
    const given = fields.text('mode');
    const mode = (['poweroff', 'reboot', 'halt'] as const).find((known) => known === given);
    if (mode === undefined) fields.wrong('mode', 'mode must be poweroff, reboot or halt.');
    const delay = fields.looseText('delay')?.trim() ?? 'now';
    const minutes = /^\+?\d{1,9}$/.test(delay) ? Number(delay) : undefined;
    if (delay !== 'now' && minutes === undefined) fields.wrong('delay', 'delay must be now or minutes.');
    const message = fields.looseText('message');
    fields.looseText('timeout');
    const condition = fields.node('condition');
    const words = condition?.kind === 'sequence' ? fields.texts('condition') : undefined;
    const asked =
      condition === undefined || (condition.kind === 'bool' && condition.value)
        ? undefined
        : condition.kind === 'bool'
          ? (false as const)
          : words !== undefined
            ? { argv: sensitive(words) }
            : { shell: sensitive(pythonText(condition) ?? '') };
    fields.finish();
    return {
      mode: mode ?? 'reboot',
      delay: minutes ?? 'now',
      ...omitUndefined({ message, condition: asked }),
    };
  },
};

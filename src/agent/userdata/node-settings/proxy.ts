import { sensitive } from '../../../secrets/sensitive.ts';
import type { ProxySettings } from '../../document/node-settings.ts';
import type { Fields } from '../../text/yaml/fields.ts';
import { url } from './fields.ts';

/** `proxy`: `http`, `https`, `except`. */
export function readProxy(fields: Fields): ProxySettings {
  const http = url(fields, 'http');
  const https = url(fields, 'https');
  const except = fields.texts('except', true).flatMap((text) => text.split(',').map((part) => part.trim()));
  if (except.some((part) => !/^[A-Za-z0-9.*:[\]/_-]*$/.test(part)))
    fields.wrong('except', 'except must hold host names, domains (.example), addresses or networks.');
  fields.refuseUnknown();
  return {
    ...(http === undefined ? {} : { http: sensitive(http) }),
    ...(https === undefined ? {} : { https: sensitive(https) }),
    except: except.filter((part) => part !== ''),
  };
}

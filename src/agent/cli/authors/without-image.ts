import { NOT_IN_IMAGE } from '../../userdata/cloud-config/accounts/default-user.ts';

/** What the reader says of an image that has no default user, where no image is known; undefined for all else. */
export function withoutImageMessage(message: string): string | undefined {
  if (!message.includes(NOT_IN_IMAGE)) return undefined;
  const isNameless = message.startsWith('users: an item has no name');
  const key = isNameless
    ? 'the item of users that has no name'
    : /^(?:users: default|[a-z_]+: ssh_redirect_user|[a-z_]+)/.exec(message)?.[0];
  const what = key ?? "the metadata's public keys";
  return `What becomes of ${what}, the image decides: system_info.default_user in its /etc/cloud/cloud.cfg says who the default user is.`;
}

/** Recognises IP addresses. node:net would do, but this room has no access to the network. */

export function isIPv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text);
}

export function isIPv6(text: string): boolean {
  return text.includes(':') && URL.canParse(`http://[${text}]`);
}

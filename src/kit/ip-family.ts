/**
 * 4 or 6 for the text of an IP address, else undefined. IPv6 in brackets or with a zone does not count, nor octets
 * that some take for octal (Go's ParseAddr).
 */
export function ipFamily(text: string): 4 | 6 | undefined {
  const octets = text.split('.');
  if (octets.length === 4 && octets.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return 4;
  return /^[0-9a-fA-F:]*:[0-9a-fA-F:.]*$/.test(text) && URL.canParse(`http://[${text}]`) ? 6 : undefined;
}

/** `share` from 0 to 1, in words. */
export function percent(share: number): string {
  return `${Math.floor(share * 100 + 1e-9)} %`;
}

export function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MB`;
}

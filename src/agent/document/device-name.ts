/**
 * Tells whether a cloud's metadata uses this name for a disk (cloud-init's `is_meta_device_name`). Templates
 * for one cloud name its disks this way. cloud-init skips names that its data source does not know, and
 * Slipway's sources know none.
 */
export function isMetadataName(device: string): boolean {
  return /^(?:ami|root|swap|(?:ephemeral|ebs)[^:]*)$/.test(device);
}

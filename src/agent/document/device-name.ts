/**
 * Is it a name by which a cloud's metadata speaks of disks (cloud-init's `is_meta_device_name`)? Templates for one cloud
 * name its disks so; cloud-init leaves out what its data source does not know, and no source of Slipway knows any.
 */
export function isMetadataName(device: string): boolean {
  return /^(?:ami|root|swap|(?:ephemeral|ebs)[^:]*)$/.test(device);
}

variable "slipway_binary" {
  type        = string
  description = "Absolute path of slipway-linux-x64 or -arm64 on this computer."
}

variable "slipway_sha256" {
  type        = string
  description = "Its SHA-256, from the signed SHA256SUMS of the release."
}

variable "slipway_mode" {
  type        = string
  description = "With cloud-init: shim. Without: service. For both kinds of machines: both. Flatcar: report."
  default     = "shim"
}

variable "name" {
  type        = string
  description = "The image's name."
  default     = "slipway-node"
}

variable "ssh_username" {
  type    = string
  default = "root"
}

variable "ssh_private_key_file" {
  type        = string
  description = "Only where the source does not make a key of its own: null, qemu, vsphere-iso."
  default     = ""
}

# A qcow2 image with kubeadm in it, which lets somebody in by ssh.
variable "qemu_image" {
  type        = string
  description = "Path or URL."
  default     = "node.qcow2"
}

variable "qemu_image_checksum" {
  type    = string
  default = "none"
}

variable "qemu_accelerator" {
  type    = string
  default = "kvm"
}

source "qemu" "slipway" {
  iso_url              = var.qemu_image
  iso_checksum         = var.qemu_image_checksum
  disk_image           = true
  format               = "qcow2"
  accelerator          = var.qemu_accelerator
  headless             = true
  vm_name              = "${var.name}.qcow2"
  output_directory     = "output-${var.name}"
  ssh_username         = var.ssh_username
  ssh_private_key_file = var.ssh_private_key_file
  shutdown_command     = "shutdown -P now"
}

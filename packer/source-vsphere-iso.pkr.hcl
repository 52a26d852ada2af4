# The installation that the ISO does by itself must end with kubeadm and with the key of ssh_private_key_file let in.
variable "vsphere_server" {
  type    = string
  default = "vcenter.example"
}

variable "vsphere_username" {
  type    = string
  default = ""
}

variable "vsphere_password" {
  type      = string
  default   = ""
  sensitive = true
}

variable "vsphere_cluster" {
  type    = string
  default = "cluster"
}

variable "vsphere_datastore" {
  type    = string
  default = "datastore"
}

variable "vsphere_network" {
  type    = string
  default = "VM Network"
}

variable "vsphere_iso" {
  type        = string
  description = "[datastore] path"
  default     = "[datastore] node.iso"
}

source "vsphere-iso" "slipway" {
  vcenter_server       = var.vsphere_server
  username             = var.vsphere_username
  password             = var.vsphere_password
  cluster              = var.vsphere_cluster
  datastore            = var.vsphere_datastore
  guest_os_type        = "otherLinux64Guest"
  vm_name              = var.name
  CPUs                 = 2
  RAM                  = 4096
  iso_paths            = [var.vsphere_iso]
  convert_to_template  = true
  ssh_username         = var.ssh_username
  ssh_private_key_file = var.ssh_private_key_file

  network_adapters {
    network      = var.vsphere_network
    network_card = "vmxnet3"
  }

  storage {
    disk_size             = 20480
    disk_thin_provisioned = true
  }
}

variable "azure_subscription_id" {
  type    = string
  default = "00000000-0000-0000-0000-000000000000"
}

variable "azure_client_id" {
  type    = string
  default = ""
}

variable "azure_client_secret" {
  type      = string
  default   = ""
  sensitive = true
}

variable "azure_tenant_id" {
  type    = string
  default = ""
}

variable "azure_resource_group" {
  type        = string
  description = "Of the image that is taken and of the one that is made."
  default     = "images"
}

variable "azure_location" {
  type    = string
  default = "westeurope"
}

variable "azure_source_image" {
  type        = string
  description = "A managed image with kubeadm in it."
  default     = "node"
}

source "azure-arm" "slipway" {
  subscription_id                          = var.azure_subscription_id
  client_id                                = var.azure_client_id
  client_secret                            = var.azure_client_secret
  tenant_id                                = var.azure_tenant_id
  custom_managed_image_name                = var.azure_source_image
  custom_managed_image_resource_group_name = var.azure_resource_group
  managed_image_name                       = var.name
  managed_image_resource_group_name        = var.azure_resource_group
  location                                 = var.azure_location
  os_type                                  = "Linux"
  vm_size                                  = "Standard_D2s_v3"
  ssh_username                             = var.ssh_username
}

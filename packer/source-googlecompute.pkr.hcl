variable "gcp_project" {
  type    = string
  default = "project"
}

variable "gcp_zone" {
  type    = string
  default = "europe-west1-b"
}

variable "gcp_source_image" {
  type        = string
  description = "With kubeadm in it, of that project."
  default     = "node"
}

source "googlecompute" "slipway" {
  project_id   = var.gcp_project
  zone         = var.gcp_zone
  source_image = var.gcp_source_image
  image_name   = var.name
  ssh_username = var.ssh_username
}

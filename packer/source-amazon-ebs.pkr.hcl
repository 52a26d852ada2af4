variable "aws_region" {
  type    = string
  default = "eu-central-1"
}

variable "aws_source_ami" {
  type        = string
  description = "With kubeadm in it, such as image-builder's."
  default     = "ami-00000000000000000"
}

variable "aws_instance_type" {
  type        = string
  description = "An arm64 one for arm64."
  default     = "t3.small"
}

source "amazon-ebs" "slipway" {
  region        = var.aws_region
  source_ami    = var.aws_source_ami
  instance_type = var.aws_instance_type
  ami_name      = var.name
  ssh_username  = var.ssh_username
}

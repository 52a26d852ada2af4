# Puts Slipway into an image that is a node's already, by the Ansible role that image-builder takes as well.
# packer build -only=SOURCE.slipway -var ... FOLDER
build {
  sources = [
    "source.null.slipway",
    "source.qemu.slipway",
    "source.amazon-ebs.slipway",
    "source.azure-arm.slipway",
    "source.googlecompute.slipway",
    "source.vsphere-iso.slipway",
  ]

  provisioner "ansible" {
    playbook_file = "${path.root}/ansible/slipway.yml"
    user          = var.ssh_username
    # The proxy of older versions has a key of a kind that today's OpenSSH refuses.
    use_proxy        = false
    ansible_env_vars = ["ANSIBLE_HOST_KEY_CHECKING=False"]
    extra_arguments = [
      "--extra-vars",
      "slipway_binary='${var.slipway_binary}' slipway_sha256=${var.slipway_sha256} slipway_mode=${var.slipway_mode}",
    ]
  }
}

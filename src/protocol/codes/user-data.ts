/** Codes for user data: where it comes from and what is in it. */
import { tableOf } from './entry.ts';

export const userDataCodes = () =>
  tableOf({
    UserDataNotFound: {
      category: 'user data',
      persistence: 'transient',
      meaning: 'No user data source answered on this machine.',
      impact: 'The machine does not know what to become; Slipway retries until its deadline.',
      fix: 'Attach a NoCloud seed (a volume labelled cidata, or files in /var/lib/cloud/seed/nocloud), name the source with --source or in /etc/slipway/sources.yaml, or name a file with --user-data.',
      check:
        'Run slipway status after the next attempt: it names the source and no longer reports UserDataNotFound.',
      cure: {
        who: 'cloud',
        why: 'The infrastructure attaches the user data; a replacement gets it the same way.',
      },
    },
    UserDataUnreadable: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The file or device that should contain the user data exists but cannot be read.',
      impact: 'No step has run; Slipway stops at once.',
      fix: 'Provide a regular file that Slipway can read, not a directory, a disk, a socket or a pipe without a writer.',
      check: 'Run slipway check FILE with that path: it reads the file and reports no UserDataUnreadable.',
      cure: {
        who: 'this-machine',
        why: 'The path was named on this machine; replacing it would not change what is at the path.',
      },
    },
    MetadataUnreachable: {
      category: 'user data',
      persistence: 'transient',
      meaning: "The cloud's metadata service does not answer yet, or this machine has no route to it.",
      impact: 'The machine waits without user data; Slipway retries until its deadline.',
      fix: "Check the machine's address and routes (ip route get 169.254.169.254) and the state of the cloud's metadata service.",
      check:
        "Request the metadata service's address with curl on the machine: it answers with an HTTP status.",
      cure: { who: 'cloud', why: 'The metadata service and the network to it belong to the infrastructure.' },
    },
    MetadataRefused: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The user data source answered, but refused the request or returned damaged metadata.',
      impact: 'The machine gets no user data; Slipway stops at once.',
      fix: 'Enable the metadata service for the instance, or correct what the message names. To use another source, pass --source.',
      check:
        'Run slipway bootstrap again: slipway status names the source and shows the first steps as done.',
      cure: {
        who: 'cloud',
        why: 'The setting belongs to the instance or its cloud, and a replacement meets the same refusal.',
      },
    },
    SourceNotServed: {
      category: 'user data',
      persistence: 'transient',
      meaning:
        'Slipway could not report to the cloud that the machine is ready, or could not delete the user data at its source.',
      impact:
        'The bootstrap itself is not affected, but the cloud may treat the machine as failed; the next start of Slipway retries.',
      fix: "Check the machine's network. On Azure it must reach 168.63.129.16, or provisioning fails after about 20 minutes.",
      check: 'Start Slipway again: slipway status no longer lists SourceNotServed.',
      cure: { who: 'cloud', why: 'The endpoint that did not answer belongs to the cloud.' },
    },
    UserDataWiped: {
      category: 'user data',
      persistence: 'permanent',
      meaning:
        'The secrets were removed from the user data after an earlier bootstrap succeeded, so it cannot be used again.',
      impact: 'Slipway leaves the machine unchanged and stops at once.',
      fix: 'Give the machine new user data with a new join token. To keep user data for more than one bootstrap, set wipe: false in /etc/slipway/node.yaml or under slipway in the user data.',
      check: 'Run slipway plan on the new machine: it lists the steps of the new user data.',
      cure: {
        who: 'another-machine',
        why: 'A replacement gets new user data; the removed secrets cannot be restored here.',
      },
    },
    NothingToRepeat: {
      category: 'user data',
      persistence: 'permanent',
      meaning:
        'slipway bootstrap --again repeats an earlier bootstrap, and no earlier bootstrap matches this user data.',
      impact: 'Nothing was changed; Slipway stops at once.',
      fix: 'Run slipway bootstrap first. To apply user data of another instance, use a new machine.',
      check:
        'Run slipway status: it shows a finished bootstrap, and slipway plan --again lists what would change.',
      cure: { who: 'this-machine', why: 'Only the command was wrong; the machine needs no replacement.' },
    },
    MetadataServesSecrets: {
      category: 'user data',
      persistence: 'permanent',
      meaning:
        'The metadata service still serves the user data, with its secrets, to any process that can reach it, pods included.',
      impact: 'The bootstrap continues, but a pod may be able to read the join token.',
      fix: 'Keep pods away from it. On AWS require tokens (http-tokens: required) with a hop limit of 1. Elsewhere block its address for pods with a network policy or a firewall rule for forwarded packets, then set metadata: guarded in /etc/slipway/node.yaml. Use short-lived join tokens.',
      check:
        'Request the user data from a pod without host network, for example with curl: the request must fail or time out.',
      cure: {
        who: 'cloud',
        why: 'Access to the metadata service is a setting of the instance and its network.',
      },
      onlyFinding: true,
    },
    UserDataEmpty: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The user data is empty.',
      impact: 'There is nothing to run, so no node is created; Slipway stops at once.',
      fix: 'Check that the bootstrap data secret has a value and that the infrastructure provider passes it to the machine.',
      check:
        "Run kubectl get secret NAME -o jsonpath='{.data.value}' for the bootstrap data secret: the output is not empty.",
      cure: {
        who: 'template',
        why: 'Machines of a group get user data the same way.',
      },
    },
    UserDataMakesNoNode: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'Nothing in the user data creates a node, or a command looks like a misspelt kubeadm call.',
      impact: 'Slipway runs no step, so that a mistake is not taken for success, and stops at once.',
      fix: 'Call kubeadm in runcmd of a cloud-config, or in a unit or a script that a unit runs in an Ignition config. If no node is wanted, set slipway: {kubeadm: none} in a cloud-config, or kubeadm: none in /etc/slipway/node.yaml, which counts for every format.',
      check: 'Run slipway check FILE on the corrected user data: it reports no UserDataMakesNoNode.',
      cure: { who: 'template', why: 'The user data of the group contains no usable kubeadm call.' },
    },
    IgnitionHasRun: {
      category: 'user data',
      persistence: 'permanent',
      meaning:
        "Ignition applies this machine's user data itself, so Slipway must not apply it a second time.",
      impact: 'Slipway changes nothing and stops at once.',
      fix: 'On images with Ignition use shim mode (slipway install --shim instead of --service); kubeadm.service then calls Slipway.',
      check:
        'Boot a machine from the corrected image: systemctl status kubeadm shows that the unit ran Slipway.',
      cure: { who: 'template', why: 'Every machine that boots from this image has the same installation.' },
    },
    UserDataTooLarge: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The user data is larger or more deeply nested than Slipway accepts.',
      impact: 'None of it is applied; Slipway stops at once.',
      fix: 'Keep it below 16 MiB, below 64 MiB after decompression, and nested less than 128 levels deep; move large files into the image.',
      check: 'Run slipway check FILE on the smaller user data: it reports no UserDataTooLarge.',
      cure: { who: 'template', why: 'Each machine of the group gets user data of the same size.' },
    },
    UserDataFormatUnknown: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The user data is in a format that Slipway does not recognise.',
      impact: 'No part of it is applied; Slipway stops at once.',
      fix: 'Correct what the message names. User data begins with #cloud-config (after an optional "## template: jinja" line), or is a MIME multipart with such a part, a script that begins with #!, or an Ignition config in JSON.',
      check: 'Run slipway check FILE: it names the format and reports no UserDataFormatUnknown.',
      cure: { who: 'template', why: 'The format is the same for each machine of the group.' },
    },
    UserDataUndecodable: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The user data is damaged: it cannot be decompressed or decoded.',
      impact: 'Its content stays unknown and is not applied; Slipway stops at once.',
      fix: 'Compare it with the bootstrap data secret; a truncated or doubly encoded value is the usual cause.',
      check:
        'Run slipway check FILE on the user data that the machine gets: it reports no UserDataUndecodable.',
      cure: {
        who: 'template',
        why: 'The encoding is usually broken by a template or a provider, for every machine.',
      },
    },
    UserDataNotUtf8: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The user data is not UTF-8 text.',
      impact: 'Slipway does not guess an encoding and stops at once.',
      fix: 'Save it as UTF-8 without a byte order mark (iconv -f UTF-16 -t UTF-8, or -f LATIN1). If it is compressed, use gzip and pass it as bytes or base64: a text field changes bytes.',
      check: 'Run iconv -f UTF-8 -t UTF-8 FILE on any Linux machine: it exits with status 0.',
      cure: {
        who: 'template',
        why: 'The text comes from the template with the same encoding for each machine.',
      },
    },
    UserDataSyntax: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The user data is not valid YAML or JSON.',
      impact: 'It cannot be parsed, so no step runs; Slipway stops at once.',
      fix: 'Correct the line named where the user data is generated (with Cluster API, in the KubeadmConfig or its template).',
      check: 'Run slipway check FILE: it prints no syntax error.',
      cure: { who: 'template', why: 'The same text reaches each machine of the group.' },
    },
    UserDataTemplate: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The jinja template in the user data cannot be rendered.',
      impact: 'The commands and files in it stay unknown, so no step runs; Slipway stops at once.',
      fix: 'Correct the expression on the line named. Use only variables that the instance metadata has, and in labels what slipway facts shows.',
      check: 'Run slipway plan on a machine of the group: it shows the rendered values.',
      cure: {
        who: 'template',
        why: "The expression is in the group's template, and instances of a group have the same metadata keys.",
      },
    },
    UserDataInvalid: {
      category: 'user data',
      persistence: 'permanent',
      meaning: 'The user data is well-formed, but a value in it is not valid.',
      impact: 'Slipway applies nothing rather than a part of it, and stops at once.',
      fix: 'Correct the value on the line named.',
      check: 'Run slipway check FILE: it reports no error for that line.',
      cure: { who: 'template', why: 'The value comes from the template and is wrong for each machine.' },
    },
    UserDataIgnoredKey: {
      category: 'user data',
      persistence: 'permanent',
      meaning:
        'The user data has a key that Slipway ignores, or a value that does not mean what it appears to mean.',
      impact: 'The bootstrap continues without that setting.',
      fix: 'Write the setting as the message says, or remove it and make the change in a command or in the image.',
      check: 'Run slipway check FILE: the warning for that line is gone.',
      cure: { who: 'template', why: 'The key comes from the template of the group.' },
      onlyFinding: true,
    },
  });

import argparse, io, json, os, shutil, sys, tempfile
from cloudinit.cmd.devel import net_convert

# What cloud-init's net-convert makes of each document for each kind of output; the answer is on standard output.
NAMES = ["eth0,52:54:00:00:00:01", "eth1,52:54:00:00:00:02"]
DISTRO = {"networkd": "photon", "netplan": "ubuntu", "network-manager": "rhel"}


def convert(kind, text, output):
    folder = tempfile.mkdtemp()
    given = os.path.join(folder, "given")
    with open(given, "w") as file:
        file.write(text)
    out = os.path.join(folder, "out")
    args = argparse.Namespace(
        network_data=open(given), kind=kind, directory=out, mac=NAMES, debug=False,
        output_kind=output, distro=DISTRO[output],
    )
    try:
        net_convert.handle_args("net-convert", args)
    except Exception as error:
        return {"error": repr(error)}
    files = {}
    for place, _, names in os.walk(out):
        for name in names:
            with open(os.path.join(place, name)) as file:
                files[os.path.join(place, name)[len(out):]] = file.read()
    shutil.rmtree(folder)
    return {"files": files}


answers = []
errors, sys.stderr = sys.stderr, io.StringIO()
for document in json.load(sys.stdin):
    answers.append({output: convert(document["kind"], document["text"], output) for output in DISTRO})
sys.stderr = errors
json.dump(answers, sys.stdout)

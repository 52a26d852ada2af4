# On real Windows: a service named kubelet that runs, and does nothing.
$ErrorActionPreference = 'Stop'
Add-Type -OutputAssembly C:\k\kubelet.exe -OutputType ConsoleApplication -ReferencedAssemblies System.ServiceProcess -TypeDefinition @'
class Kubelet : System.ServiceProcess.ServiceBase { static void Main() { Run(new Kubelet()); } }
'@
New-Service -Name kubelet -BinaryPathName C:\k\kubelet.exe -StartupType Automatic | Out-Null
Start-Service kubelet

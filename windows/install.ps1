# Sets slipway.exe up in a Windows image: checks its digest, then has it install itself.
#   powershell -ExecutionPolicy Bypass -File install.ps1 -Source C:\Temp\slipway-windows-x64.exe -Sha256 0123... [-Mode shim|service] [-Report]
param(
  [Parameter(Mandatory = $true)] [string] $Source,
  [Parameter(Mandatory = $true)] [ValidatePattern('^[0-9a-fA-F]{64}$')] [string] $Sha256,
  [ValidateSet('shim', 'service')] [string] $Mode = 'shim',
  [switch] $Report
)
$ErrorActionPreference = 'Stop'

$found = (Get-FileHash -Algorithm SHA256 -LiteralPath $Source).Hash
if ($found -ne $Sha256) { throw "$Source has the SHA-256 $found, not ${Sha256}: it is not the program that was released" }

# Defender would scan 96 MB at the first start, in the middle of a boot.
if (Get-Command Add-MpPreference -ErrorAction SilentlyContinue) {
  Add-MpPreference -ExclusionProcess 'C:\Program Files\Slipway\slipway.exe', 'C:\Program Files\Slipway\shim\kubeadm.exe'
}

$words = @('install', "--$Mode")
if ($Report) { $words += '--report' }
& $Source @words
if ($LASTEXITCODE -ne 0) { throw "slipway install ended with $LASTEXITCODE" }

@echo off
rem cloudbase-init runs this at each boot until it is done (docs/windows.md has its exit codes).
set FROM=
if exist C:\AzureData\CustomData.bin set FROM=--user-data C:\AzureData\CustomData.bin
if defined SLIPWAY_SOURCE set FROM=--source %SLIPWAY_SOURCE%
"C:\Program Files\Slipway\slipway.exe" bootstrap --cloudbase-init %FROM%
exit /b %errorlevel%

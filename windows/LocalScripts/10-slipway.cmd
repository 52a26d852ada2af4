@echo off
rem cloudbase-init runs this at each boot until it is done (docs/windows.md has its exit codes).
set FROM=
for %%D in (D E F G H I J K L) do (
  if exist %%D:\openstack\latest\user_data set FROM=--user-data %%D:\openstack\latest\user_data
  if exist %%D:\openstack\latest\meta_data.json set FROM=--user-data %%D:\openstack\latest\user_data --meta-data %%D:\openstack\latest\meta_data.json
  if exist %%D:\user-data if exist %%D:\meta-data set FROM=--user-data %%D:\user-data --meta-data %%D:\meta-data
)
if exist C:\AzureData\CustomData.bin set FROM=--user-data C:\AzureData\CustomData.bin
if defined SLIPWAY_SOURCE set FROM=--source %SLIPWAY_SOURCE%
"C:\Program Files\Slipway\slipway.exe" bootstrap --cloudbase-init %FROM%
exit /b %errorlevel%

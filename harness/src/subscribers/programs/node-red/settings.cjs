// Only what the flow needs: no editor and no update checks.
module.exports = {
  uiHost: '127.0.0.1',
  uiPort: Number(process.env.PORT),
  httpAdminRoot: false,
  flowFile: 'flows.json',
  credentialSecret: false,
  functionExternalModules: true,
  externalModules: { autoInstall: false, palette: { allowInstall: false }, modules: { allowInstall: false } },
  telemetry: { enabled: false, updateNotification: false },
}

// Loaded ahead of the service by `--require`: names, at its end, the modules that it loaded of OpenTelemetry.
process.on('exit', () => {
  const loaded = Object.keys(require.cache).filter((file) => file.includes('@opentelemetry'))
  process.stderr.write(`modules of OpenTelemetry: ${loaded.length}\n`)
})

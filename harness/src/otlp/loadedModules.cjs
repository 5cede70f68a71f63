// Loaded before the service with `--require`: lists on exit the OpenTelemetry modules that it loaded.
process.on('exit', () => {
  const loaded = Object.keys(require.cache).filter((file) => file.includes('@opentelemetry'))
  process.stderr.write(`modules of OpenTelemetry: ${loaded.length}\n`)
})

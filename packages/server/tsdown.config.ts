import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: { main: 'src/main.ts', sqliteWorker: 'src/storage/sqlite/worker.ts' },
  platform: 'node',
  target: 'node20',
  dts: false,
  // No registry has it yet, so the package must be whole without it.
  noExternal: ['@posthorn/receiver'],
  fixedExtension: false,
  // A build beside running tests must not take their files away.
  clean: false,
  outputOptions: { chunkFileNames: '[name].js' },
  logLevel: 'error',
})

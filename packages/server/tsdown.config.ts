import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: { main: 'src/main.ts', sqliteWorker: 'src/storage/sqlite/worker.ts' },
  platform: 'node',
  target: 'node20',
  dts: false,
  fixedExtension: false,
  logLevel: 'warn',
})

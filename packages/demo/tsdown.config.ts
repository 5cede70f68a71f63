import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts'],
  platform: 'node',
  target: 'node20',
  dts: false,
  fixedExtension: false,
  // A build beside running tests must not take their files away.
  clean: false,
  outputOptions: { chunkFileNames: '[name].js' },
  logLevel: 'error',
})

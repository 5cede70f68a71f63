import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts'],
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  fixedExtension: false,
  // A build beside running tests must not take their files away.
  clean: false,
  outputOptions: { chunkFileNames: '[name].js' },
  logLevel: 'error',
})

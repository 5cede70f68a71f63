import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts', 'src/schemes.ts'],
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  fixedExtension: false,
  logLevel: 'warn',
})

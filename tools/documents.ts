import { GENERATED } from './documents/generated.ts'

for (const { path, make, write } of GENERATED) {
  const files = await make()
  write(files)
  process.stdout.write(`${path}: ${files.size === 1 ? 'one file' : `${files.size} files`} written\n`)
}

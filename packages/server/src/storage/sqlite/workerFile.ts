/**
 * Where the worker's built file is: beside this module once bundled, in `dist` when this module runs as source,
 * since Node 20 cannot run TypeScript in a worker thread.
 */
export function workerFile(): URL {
  const bundled = !import.meta.url.endsWith('.ts')
  return new URL(bundled ? './sqliteWorker.js' : '../../../dist/sqliteWorker.js', import.meta.url)
}

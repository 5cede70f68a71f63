import { Gauge, type Registry } from 'prom-client'
import { VERSION } from '../engine/attempt/version.ts'
import { type Disk, readDisk } from '../engine/maintenance/disk.ts'

interface Params {
  readonly registry: Registry
  /** Whether this node would accept a publish now. */
  readonly isReady: () => Promise<boolean>
  /** The data directory, whose disk is watched. */
  readonly dataDir: string
}

/** Metrics of a node itself: its release, whether it accepts events, and the disk of its data directory. */
export function watchNode({ registry, isReady, dataDir }: Params): void {
  const registers = [registry]
  new Gauge({
    name: 'posthorn_build_info',
    help: 'Always 1; the label version is the release that this node runs',
    labelNames: ['version'],
    registers,
  }).set({ version: VERSION }, 1)
  new Gauge({
    name: 'posthorn_ready',
    help: '1 if this node accepts events now (/readyz answers 200); 0 if not',
    registers,
    async collect() {
      this.set(Number(await isReady()))
    },
  })
  const disk = (name: string, help: string, of: keyof Disk) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set((await readDisk(dataDir))?.[of] ?? Number.NaN)
      },
    })
  disk(
    'posthorn_data_disk_free_bytes',
    'Free space on the disk of the data directory, which holds the embedded store',
    'freeBytes',
  )
  disk('posthorn_data_disk_size_bytes', 'Size of the disk of the data directory', 'sizeBytes')
}

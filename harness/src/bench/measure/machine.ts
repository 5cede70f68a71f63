import { statfsSync } from 'node:fs'
import os from 'node:os'
import { releaseOf } from '../../postgres/binaries.ts'
import { provideBinaries } from '../../postgres/provide.ts'
import type { StageOptions } from '../stage/stage.ts'

/** File system types in memory: tmpfs, ramfs. */
const MEMORY_MAGICS: readonly number[] = [0x01021994, 0x858458f6]

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly kernel: string
  readonly node: string
  /** The PostgreSQL release of the store; `null`: another store. */
  readonly postgres: string | null
  /** False where a sync costs nothing, unlike on any real disk. */
  readonly dataOnDisk: boolean
}

export function describeMachine({ store, dataParent }: Pick<StageOptions, 'store' | 'dataParent'>): Machine {
  const cpus = os.cpus()
  return {
    cpu: cpus[0]?.model.trim() ?? 'unknown',
    cores: cpus.length,
    memoryGb: Math.round(os.totalmem() / 1024 ** 3),
    kernel: `${os.type()} ${os.release()}`,
    node: process.version,
    postgres: store === 'postgres' ? releaseOf(provideBinaries()) : null,
    dataOnDisk: !MEMORY_MAGICS.includes(statfsSync(dataParent).type),
  }
}

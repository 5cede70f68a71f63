import { readFileSync } from 'node:fs'
import os from 'node:os'
import { VERSION } from '../../engine/attempt/version.ts'
import { readDisk } from '../../engine/maintenance/disk.ts'
import { jsonText } from './bundle.ts'

const OS_RELEASE = '/etc/os-release'

export function versionsJson(at: Date): string {
  const { node, v8, openssl, uv } = process.versions
  return jsonText({
    at: at.toISOString(),
    posthorn: VERSION,
    node,
    v8,
    openssl,
    uv,
    os: { platform: os.platform(), release: os.release(), arch: os.arch(), distribution: distribution() },
  })
}

/** @returns such as `Debian GNU/Linux 12 (bookworm)`; `null` where the system does not say */
function distribution(): string | null {
  try {
    return /^PRETTY_NAME="?(.*?)"?$/m.exec(readFileSync(OS_RELEASE, 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}

/** @param dataDir on whose disk the embedded store is */
export async function machineJson(dataDir: string): Promise<string> {
  const disk = await readDisk(dataDir)
  return jsonText({
    processors: os.availableParallelism(),
    load_average: os.loadavg(),
    uptime_seconds: Math.round(os.uptime()),
    memory_bytes: os.totalmem(),
    free_memory_bytes: os.freemem(),
    memory_limit_bytes: memoryLimit(),
    disk: disk && { free_bytes: disk.freeBytes, size_bytes: disk.sizeBytes },
  })
}

/** Of this container or control group; `null`: the memory of the machine is the limit. */
function memoryLimit(): number | null {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < os.totalmem() ? limit : null
}

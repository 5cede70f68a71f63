import type { DemoOptions } from '@posthorn/demo'

export type { DemoOptions }

const PACKAGE = '@posthorn/demo'

/** Plays the demo in this terminal. It is a separate package, since a service does not need it. @returns the exit code */
export async function demo(options: DemoOptions): Promise<number> {
  const installed = await load()
  if (installed === null) {
    process.stderr.write(
      `posthorn: the demo is not installed. Pack it in a checkout of Posthorn with npm pack --workspace ${PACKAGE}, ` +
        'then install that file next to posthorn (with --global if posthorn is installed globally)\n',
    )
    return 1
  }
  return installed.playDemo(options, async () => (await import('./demoService.ts')).demoService)
}

/** @returns `null` when the package is not installed */
async function load(): Promise<typeof import('@posthorn/demo') | null> {
  try {
    return await import('@posthorn/demo')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${PACKAGE}'`)) return null
    throw error
  }
}

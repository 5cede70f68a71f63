import type { UserConfig } from 'vitepress'
import { licensesText, packageOf } from '../../apps/licenses.ts'

type Plugin = Extract<NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number], { name: string }>

/** Writes the licenses of the packages whose code browsers get. */
export function licenses(): Plugin {
  return {
    name: 'licenses',
    apply: (_config, { isSsrBuild }) => isSsrBuild !== true,
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' ? Object.keys(file.modules) : [],
      )
      const packages = new Set(modules.flatMap((id) => packageOf(id.replace('\0', '')) ?? []))
      this.emitFile({
        type: 'asset',
        fileName: 'licenses.md',
        source: `# Licenses\n\n${licensesText(packages)}`,
      })
    },
  }
}

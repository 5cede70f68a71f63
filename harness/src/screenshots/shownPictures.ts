import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

const FOLDER = 'docs/console'
const PICTURE = /[\w./-]+\.webp/g

/** The pictures of the console that the documentation shows, as paths within `root`. */
export function shownPictures(root: string): string[] {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const shown = pages.flatMap((page) =>
    Array.from(readFileSync(path.join(root, page), 'utf8').matchAll(PICTURE), ([picture]) =>
      path.posix.join(path.posix.dirname(page), picture),
    ),
  )
  return [...new Set(shown)].filter((picture) => path.posix.dirname(picture) === FOLDER).sort()
}

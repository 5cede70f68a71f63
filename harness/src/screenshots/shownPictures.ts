import { readFileSync } from 'node:fs'
import path from 'node:path'
import { markdownFiles, ROOT } from '../markdown/files.ts'

const FOLDER = 'docs/console'
const PICTURE = /[\w./-]+\.webp/g

/** The pictures of the console that the documentation shows, as paths from the root of the project. */
export function shownPictures(): string[] {
  const shown = markdownFiles().flatMap((page) =>
    Array.from(readFileSync(path.join(ROOT, page), 'utf8').matchAll(PICTURE), ([picture]) =>
      path.posix.join(path.posix.dirname(page), picture),
    ),
  )
  return [...new Set(shown)].filter((picture) => path.posix.dirname(picture) === FOLDER).sort()
}

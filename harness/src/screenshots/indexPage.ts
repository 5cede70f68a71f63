import { fileOf } from './pictures.ts'

/**
 * The page that lists the pictures of a directory, in Markdown.
 * @param names of pages in the order of the console
 * @param suffixes such as `light`, one column each
 */
export function indexPage(names: readonly string[], suffixes: readonly string[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const picture = (name: string, suffix: string) => {
    const file = fileOf(name, suffix)
    return `<a href="${file}"><img src="${file}" width="240" alt="${wordsOf(name)}, ${suffix}"></a>`
  }
  const rows = names.map((name) => row([wordsOf(name), ...suffixes.map((suffix) => picture(name, suffix))]))
  return `${[
    '# The pages of the console',
    '',
    'Select a picture to see it in full.',
    '',
    row(['page', ...suffixes]),
    row(['page', ...suffixes].map(() => '---')),
    ...rows,
  ].join('\n')}\n`
}

const wordsOf = (name: string): string => name.replaceAll('-', ' ')

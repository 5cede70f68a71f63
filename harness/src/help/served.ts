/** Pages that a complete build serves, each with a part of its text. */
const SERVED = {
  '/': '<title>Posthorn</title>',
  '/docs': '<title>Posthorn API</title>',
  '/docs/documents.json': '"/openapi/standard.json"',
  '/help/': 'Posthorn',
  '/help/start': 'Get started',
  '/llms.txt': '/help/start.md',
} as const

/** @returns what is wrong with a built page; empty: nothing */
export async function missingPages(url: string): Promise<readonly string[]> {
  const answers = Object.entries(SERVED).map(async ([path, part]) => {
    const response = await fetch(url + path)
    const hasPart = (await response.text()).includes(part)
    return response.status === 200 && hasPart
      ? []
      : [`${path}: status ${response.status}, ${part}: ${hasPart}`]
  })
  return (await Promise.all(answers)).flat()
}

/** A command that can be pasted into a shell; the JSON of the demo holds no single quote. */
export function curlOf(url: string, key: string, body: object): string {
  const members = Object.entries(body).map(([name, value]) => `"${name}":${JSON.stringify(value)}`)
  return [
    `curl ${url} \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '{${members.join(',\n       ')}}'`,
  ].join('\n')
}

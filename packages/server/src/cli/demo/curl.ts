/** A command that can be pasted into a shell; the JSON of the demo holds no single quote. */
export function curlOf(url: string, key: string, body: object): string {
  return [
    `curl ${url} \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n')
}

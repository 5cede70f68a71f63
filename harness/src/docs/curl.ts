import type { SentRequest } from './requests.ts'

/** Flags that the pages use; `true`: a value follows. */
const FLAGS: Readonly<Record<string, boolean>> = {
  '-X': true,
  '--request': true,
  '-d': true,
  '--data': true,
  '--data-binary': true,
  '--json': true,
  '-G': false,
  '--get': false,
  '-I': false,
  '--head': false,
  '-H': true,
  '--header': true,
  '-x': true,
  '--proxy': true,
  '-o': true,
  '--output': true,
  '-w': true,
  '--write-out': true,
  '--retry': true,
  '--retry-delay': true,
  '--retry-connrefused': false,
  '-i': false,
  '--include': false,
  '-N': false,
  '--no-buffer': false,
  '-s': false,
  '--silent': false,
  '-S': false,
  '--show-error': false,
  '-v': false,
  '--verbose': false,
}
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const URL_SHAPE = /^(https?:\/\/[^/]+|\$\w+(?=\/))/
const OURS = /^(\$|https?:\/\/(localhost|node-a|hooks\.example\.com)(?=[:/]|$))/

/** A request of curl: whether it goes to Posthorn, and what is sent. */
interface CurlRequest extends SentRequest {
  readonly isOurs: boolean
}

/** @throws Error for a flag, method or number of URLs that it does not know */
export function curlRequest(args: readonly string[]): CurlRequest {
  const { flags, urls } = partsOf(args)
  const [url, ...others] = urls
  if (url === undefined || others.length > 0) throw new Error(`${urls.length} URLs instead of one`)
  if (!URL_SHAPE.test(url)) throw new Error(`no URL: ${url}`)
  const method = methodOf(flags)
  if (!METHODS.includes(method)) throw new Error(`no method ${method}`)
  return { method, path: url.replace(URL_SHAPE, ''), isOurs: OURS.test(url) }
}

function partsOf(args: readonly string[]) {
  const flags = new Map<string, string>()
  const urls: string[] = []
  const rest = [...args]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-')) {
      urls.push(word)
      continue
    }
    const name = word.startsWith('--') ? word : word.slice(0, 2)
    const attached = word.slice(name.length)
    const takesValue = FLAGS[name]
    if (takesValue === undefined)
      throw new Error(`no flag ${name} is known; add it to harness/src/docs/curl.ts`)
    if (!takesValue && attached !== '') rest.unshift(`-${attached}`)
    const value = takesValue ? attached || rest.shift() : ''
    if (value === undefined) throw new Error(`${name} lacks its value`)
    flags.set(name, value)
  }
  return { flags, urls }
}

function methodOf(flags: ReadonlyMap<string, string>): string {
  const named = flags.get('-X') ?? flags.get('--request')
  if (named !== undefined) return named
  const has = (...names: readonly string[]) => names.some((name) => flags.has(name))
  if (has('-I', '--head')) return 'HEAD'
  return has('-d', '--data', '--data-binary', '--json') && !has('-G', '--get') ? 'POST' : 'GET'
}

import { originOf } from './requestTarget.ts'

/** Paths that 0.1.0 documented under another name, with their present one. */
const FORMER_PATHS: readonly (readonly [RegExp, string])[] = [
  [/^\/admin\/v1\/figures(?=\?|$)/, '/admin/v1/stats'],
  [/^\/admin\/v1\/workspace-figures(?=\?|$)/, '/admin/v1/workspace-stats'],
  [/^(\/console\/v1\/workspaces\/[^/?]+)\/figures(?=\?|$)/, '$1/stats'],
]

/** The URL of a request by its present path, so that clients of earlier releases continue to work. */
export function presentUrl(url: string): string {
  const origin = originOf(url)
  const path = url.slice(origin.length)
  for (const [former, present] of FORMER_PATHS)
    if (former.test(path)) return origin + path.replace(former, present)
  return url
}

import path from 'node:path'
import type { InputError } from '../../validation/inputErrors.ts'
import { adminTokenFile, readAdminToken } from '../generatedKeys.ts'
import { type Config, SettingError } from '../settings.ts'
import { printable } from '../words.ts'

/** The service rejected a call or did not answer; the message is for the user. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  /** The mistakes in the request, if the input was the problem. */
  readonly mistakes: readonly InputError[]
  /** Status of the response; `null`: no service answered. */
  readonly status: number | null

  constructor(message: string, mistakes: readonly InputError[] = [], status: number | null = null) {
    super(message)
    this.mistakes = mistakes
    this.status = status
  }
}

/** The URL of the service: `POSTHORN_PUBLIC_URL`, or the default address of `serve`. */
export function serviceUrl(config: Config): string {
  const { publicUrl, host, port } = config
  return publicUrl ?? listenUrl(config, host, port)
}

/** The URL of the admin API, which may have an address of its own. */
export function adminServiceUrl(config: Config): string {
  const { adminUrl, adminHost, adminPort } = config
  if (adminUrl !== null) return adminUrl
  return adminPort === null ? serviceUrl(config) : listenUrl(config, adminHost, adminPort)
}

const listenUrl = ({ tlsCertFile }: Config, host: string, port: number) =>
  `${tlsCertFile === null ? 'http' : 'https'}://${host}:${port}`

/** A credential, and the variable or file that it comes from. */
interface Bearer {
  readonly value: string
  readonly from: string
}

/** @throws SettingError when there is none */
export function adminTokenOf({ adminToken, dataDir }: Config): Bearer {
  if (adminToken !== null) return { value: adminToken, from: 'POSTHORN_ADMIN_TOKEN' }
  const value = readAdminToken(dataDir)
  if (value !== null) return { value, from: path.resolve(adminTokenFile(dataDir)) }
  throw new SettingError(
    `POSTHORN_ADMIN_TOKEN: not set, and ${dataDir} has no admin-token; give the service's data directory with --data-dir, or start the service, which creates the token`,
  )
}

/**
 * Calls a running service over its HTTP API.
 * @returns the response body, `null` when there is none
 * @throws RemoteError
 */
export async function call(params: {
  readonly url: string
  readonly method: string
  readonly path: string
  readonly bearer: Bearer
  readonly body?: unknown
  /** Timeout of the service. Default: none. */
  readonly withinMs?: number
}): Promise<unknown> {
  const { url, method, path, bearer, body, withinMs } = params
  const headers = {
    authorization: `Bearer ${bearer.value}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const init = {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(withinMs === undefined ? {} : { signal: AbortSignal.timeout(withinMs) }),
  }
  const noAnswer = (error: unknown) => {
    throw new RemoteError(noAnswerMessage(url, error))
  }
  const response = await fetch(new URL(path, url), init).catch(noAnswer)
  const text = await response.text().catch(noAnswer)
  const answer = parse(text, url, response.status)
  if (!response.ok) {
    const { errors = [] } = (answer ?? {}) as Problem
    throw new RemoteError(refusal(response.status, answer, bearer), errors, response.status)
  }
  return answer
}

/** Why a request got no response, and what to do. @param error of `fetch` */
export function noAnswerMessage(url: string, error: unknown): string {
  if ((error as Error).name === 'TimeoutError')
    return `${url} accepts connections but does not answer in time; check the log of the service`
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
  return code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO/.test(code)
    ? `the certificate of ${url} is not trusted (${code}); set POSTHORN_PUBLIC_URL to a name in the certificate, or add the certificate authority to NODE_EXTRA_CA_CERTS`
    : `no service answers at ${url}; start it with \`posthorn serve\` or set POSTHORN_PUBLIC_URL`
}

/** @throws RemoteError for a body that is not JSON */
function parse(text: string, url: string, status: number): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    throw new RemoteError(
      `${status}: the response is not from Posthorn; check the address ${url}`,
      [],
      status,
    )
  }
}

interface Problem {
  readonly detail?: string
  readonly title?: string
  readonly errors?: readonly InputError[]
}

function refusal(status: number, answer: unknown, { from }: Bearer): string {
  const { detail, title, errors = [] } = (answer ?? {}) as Problem
  const lines = errors.map(
    ({ pointer, message }) => `\n  ${pointer === '' ? 'the body' : pointer} ${message}`,
  )
  const sent = status === 401 ? ` The credential is from ${from}.` : ''
  return printable(`${status}: ${detail ?? title ?? ''}${sent}${lines.join('')}`)
}

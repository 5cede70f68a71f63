import path from 'node:path'
import type { InputError } from '../../validation/inputErrors.ts'
import { adminTokenFile, readAdminToken } from '../generatedKeys.ts'
import { type Config, SettingError } from '../settings.ts'
import { printable } from '../words.ts'

/** A running service refused, or was not there; the message is what a person must know. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  /** What is wrong in what was sent, if it is that. */
  readonly mistakes: readonly InputError[]
  /** Of the refusal; `null`: no service answered. */
  readonly status: number | null

  constructor(message: string, mistakes: readonly InputError[] = [], status: number | null = null) {
    super(message)
    this.mistakes = mistakes
    this.status = status
  }
}

/** Where a command finds the service: `POSTHORN_PUBLIC_URL`, or the address that `serve` listens on by default. */
export function serviceUrl(config: Config): string {
  const { publicUrl, host, port } = config
  return publicUrl ?? listenUrl(config, host, port)
}

/** Where a command finds the administration, which may have an address of its own. */
export function adminServiceUrl(config: Config): string {
  const { adminUrl, adminHost, adminPort } = config
  if (adminUrl !== null) return adminUrl
  return adminPort === null ? serviceUrl(config) : listenUrl(config, adminHost, adminPort)
}

const listenUrl = ({ tlsCertFile }: Config, host: string, port: number) =>
  `${tlsCertFile === null ? 'http' : 'https'}://${host}:${port}`

/** A credential, and the variable or file that it was read from. */
interface Bearer {
  readonly value: string
  readonly from: string
}

/** @throws SettingError when there is none to be found */
export function adminTokenOf({ adminToken, dataDir }: Config): Bearer {
  if (adminToken !== null) return { value: adminToken, from: 'POSTHORN_ADMIN_TOKEN' }
  const value = readAdminToken(dataDir)
  if (value !== null) return { value, from: path.resolve(adminTokenFile(dataDir)) }
  throw new SettingError(
    `POSTHORN_ADMIN_TOKEN: not set, and ${dataDir} holds no admin-token; name the service's data directory with --data-dir, or wait until a first start has made it`,
  )
}

/**
 * Calls a running service over its HTTP API.
 * @returns the answer, `null` when it has no body
 * @throws RemoteError
 */
export async function call(params: {
  readonly url: string
  readonly method: string
  readonly path: string
  readonly bearer: Bearer
  readonly body?: unknown
  /** How long the service has to answer. Without it, as long as it takes. */
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

/** Why a request got no answer, and what to do. @param error of `fetch` */
export function noAnswerMessage(url: string, error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return `${url} takes connections and does not answer in time`
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
  return code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO/.test(code)
    ? `the certificate of ${url} is not trusted (${code}); use a name that it is for, such as that of POSTHORN_PUBLIC_URL, or name its authority in NODE_EXTRA_CA_CERTS`
    : `no service answers at ${url}; start it with \`posthorn serve\` or set POSTHORN_PUBLIC_URL`
}

/** @throws RemoteError for what is no JSON */
function parse(text: string, url: string, status: number): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    throw new RemoteError(
      `${status}: this is not a response of Posthorn; check the address ${url}`,
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
  const sent = status === 401 ? ` What was sent is from ${from}.` : ''
  return printable(`${status}: ${detail ?? title ?? ''}${sent}${lines.join('')}`)
}

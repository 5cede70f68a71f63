/** Where consumers of a workspace are. */
export interface ConsumersAddress {
  /** Such as `https://events.example.com`. */
  readonly origin: string
  /** Such as `/v1/workspaces/acme/consumers`. */
  readonly path: string
  /** What names the workspace to the command line; `null`: paths of the service name none. */
  readonly workspace: string | null
}

/** The longest that a request may wait for events. */
const WAIT_S = 30

const KEY = '-H "Authorization: Bearer $API_KEY"'
const JSON_BODY = "-H 'Content-Type: application/json'"

/** Commands that do with a consumer what a receiver does. */
export interface ConsumerCommands {
  readonly create: string
  readonly read: string
  readonly acknowledge: string
  readonly stream: string
  /** Of the command line, which reads and acknowledges. */
  readonly follow: string
}

/** @param name of a consumer: letters, digits, underscores and hyphens */
export function consumerCommands(
  { origin, path, workspace }: ConsumersAddress,
  name: string,
): ConsumerCommands {
  const all = `${origin}${path}`
  const one = `${all}/${name}`
  const lines = (...parts: readonly string[]) => parts.join(' \\\n  ')
  return {
    create: lines(`curl "${all}"`, KEY, `${JSON_BODY} -d '${JSON.stringify({ name })}'`),
    read: lines(`curl "${one}/events?wait=${WAIT_S}"`, KEY),
    acknowledge: lines(`curl "${one}/ack"`, KEY, `${JSON_BODY} -d '{"ack":"ACK"}'`),
    stream: lines(`curl --no-buffer "${one}/stream"`, KEY),
    follow: lines(
      `posthorn consumer read ${name} --key "$API_KEY"`,
      `--public-url ${origin}${workspace === null ? '' : ` --workspace ${workspace}`}`,
    ),
  }
}

/** Address of the consumers API of a workspace. */
export interface ConsumersAddress {
  /** Such as `https://events.example.com`. */
  readonly origin: string
  /** Such as `/v1/workspaces/acme/consumers`. */
  readonly path: string
  /** Argument for the command line; `null`: the service's paths contain no workspace. */
  readonly workspace: string | null
}

/** Longest wait of a request for events. */
const WAIT_S = 30

const KEY = '-H "Authorization: Bearer $API_KEY"'
const JSON_BODY = "-H 'Content-Type: application/json'"

/** Commands for using a consumer from a shell. */
export interface ConsumerCommands {
  readonly create: string
  readonly read: string
  readonly acknowledge: string
  readonly stream: string
  /** Reads and acknowledges with the `posthorn` command. */
  readonly follow: string
}

/** @param name name of the consumer, which needs no escaping */
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

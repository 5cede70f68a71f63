import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import ignore from '@balena/dockerignore'
import { type Stage, type Step, stagesOf } from './dockerfile.ts'
import type { Root } from './root.ts'

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** A partially built image. */
interface Built {
  readonly root: Root
  readonly env: Record<string, string>
  workdir: string
  user: string
  entrypoint: readonly string[]
  cmd: readonly string[]
  healthcheck: readonly string[]
  stopSignal: string
  readonly volumes: string[]
}

/**
 * Executes each line of a Dockerfile without a container engine.
 * @param params.context the build context
 * @param params.baseOf the root of a registry image
 * @param params.scratch where roots are created
 * @throws Error for a line that fails or is unsupported
 */
export async function replay(params: {
  readonly context: string
  readonly baseOf: (image: string) => Promise<Root>
  readonly scratch: string
  readonly onStep?: (line: string) => void
}): Promise<Built> {
  const stages = stagesOf(readFileSync(path.join(params.context, 'Dockerfile'), 'utf8'))
  const sent = filesSent(params.context)
  const built = new Map<string, Built>()
  let last: Built | null = null
  for (const [number, stage] of stages.entries()) {
    last = await begin(stage, built, path.join(params.scratch, `stage-${number}`), params.baseOf)
    for (const step of stage.steps) {
      params.onStep?.(`${stage.name ?? 'last stage'}: ${step.keyword} ${step.text}`)
      await apply(last, step, { context: params.context, sent, built })
    }
    if (stage.name !== null) built.set(stage.name, last)
  }
  return last!
}

async function begin(
  { from }: Stage,
  built: ReadonlyMap<string, Built>,
  directory: string,
  baseOf: (image: string) => Promise<Root>,
): Promise<Built> {
  const earlier = built.get(from)
  const root = await (earlier?.root ?? (await baseOf(from))).copyTo(directory)
  if (earlier !== undefined) return { ...structuredClone({ ...earlier, root: null }), root }
  return {
    root,
    env: { PATH, HOME: '/root' },
    workdir: '/',
    user: '0:0',
    entrypoint: [],
    cmd: [],
    healthcheck: [],
    stopSignal: 'SIGTERM',
    volumes: [],
  }
}

interface Sources {
  readonly context: string
  /** Relative to the context. */
  readonly sent: readonly string[]
  readonly built: ReadonlyMap<string, Built>
}

async function apply(image: Built, step: Step, sources: Sources): Promise<void> {
  const { keyword, args } = step
  if (keyword === 'RUN') await image.root.build(step.text.replaceAll('\\\n', ' '), image.env, image.workdir)
  else if (keyword === 'COPY') copy(image, step, sources)
  else if (keyword === 'WORKDIR') {
    image.workdir = args[0]!
    mkdirSync(path.join(image.root.directory, image.workdir), { recursive: true })
  } else if (keyword === 'ENV') Object.assign(image.env, Object.fromEntries(args.map(pairOf)))
  else if (keyword === 'USER') image.user = args[0]!
  else if (keyword === 'ENTRYPOINT') image.entrypoint = args
  else if (keyword === 'CMD') image.cmd = args
  else if (keyword === 'HEALTHCHECK') image.healthcheck = args
  else if (keyword === 'STOPSIGNAL') image.stopSignal = args[0]!
  else if (keyword === 'VOLUME') image.volumes.push(...args)
  else if (keyword !== 'EXPOSE') throw new Error(`cannot replay ${keyword} ${step.text}`)
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}

function copy(image: Built, { args, flags, text }: Step, { context, sent, built }: Sources): void {
  const from = flags.from
  const sources = args.slice(0, -1)
  const target = args.at(-1)!
  const place = path.resolve(image.workdir, target)
  for (const source of sources) {
    const goal = path.join(image.root.directory, place)
    if (from !== undefined) {
      const there = path.join(built.get(from)!.root.directory, source)
      if (!existsSync(there)) throw new Error(`COPY ${text}: ${source} is not in the stage ${from}`)
      copyOne(there, goalOf(there, goal, target, source))
    } else copySent(context, sent, source, goal, target)
  }
}

/** The contents of a directory go into the target; a file goes into it if the target ends with a slash. */
const goalOf = (there: string, goal: string, target: string, source: string): string =>
  !lstatSync(there).isDirectory() && target.endsWith('/') ? path.join(goal, path.basename(source)) : goal

function copyOne(source: string, goal: string): void {
  mkdirSync(path.dirname(goal), { recursive: true })
  cpSync(source, goal, { recursive: true, verbatimSymlinks: true })
}

function copySent(
  context: string,
  sent: readonly string[],
  source: string,
  goal: string,
  target: string,
): void {
  const wanted = path.normalize(source)
  const files = sent.filter((file) => wanted === '.' || file === wanted || file.startsWith(`${wanted}/`))
  if (files.length === 0) throw new Error(`COPY ${source}: .dockerignore leaves nothing of it`)
  const isDirectory = statSync(path.join(context, wanted)).isDirectory()
  for (const file of files) {
    const inside = isDirectory ? path.relative(wanted, file) : ''
    const whole = isDirectory
      ? path.join(goal, inside)
      : goalOf(path.join(context, file), goal, target, source)
    copyOne(path.join(context, file), whole)
  }
}

/** The files of a build context. */
function filesSent(context: string): readonly string[] {
  const ignored = ignore.default().add(readFileSync(path.join(context, '.dockerignore'), 'utf8'))
  const files: string[] = []
  const walk = (directory: string) => {
    for (const entry of readdirSync(path.join(context, directory), { withFileTypes: true })) {
      const file = path.join(directory, entry.name)
      // Skipped, since it is large and ignored as a whole.
      if (entry.name === 'node_modules' || entry.name === '.git') continue
      if (entry.isDirectory()) walk(file)
      else if (!ignored.ignores(file)) files.push(file)
    }
  }
  walk('')
  return files
}

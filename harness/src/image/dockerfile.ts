import { DockerfileParser, type From, type Instruction } from 'dockerfile-ast'

/** One instruction of a Dockerfile. */
export interface Step {
  readonly keyword: string
  readonly text: string
  /** Of a JSON array, or the words. */
  readonly args: readonly string[]
  readonly flags: Readonly<Record<string, string>>
}

export interface Stage {
  /** `null`: the last one has none. */
  readonly name: string | null
  /** An image, or the name of an earlier stage. */
  readonly from: string
  readonly steps: readonly Step[]
}

/** The stages of a Dockerfile in their order. */
export function stagesOf(dockerfile: string): readonly Stage[] {
  const stages: { name: string | null; from: string; steps: Step[] }[] = []
  for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const from = instruction as From
      stages.push({ name: from.getBuildStage(), from: from.getImage()!, steps: [] })
    } else {
      stages.at(-1)!.steps.push(stepOf(instruction))
    }
  }
  return stages
}

function stepOf(instruction: Instruction): Step {
  const keyword = instruction.getKeyword()
  const text = instruction.getArgumentsContent() ?? ''
  const flagged = instruction as Instruction & {
    getFlags?: () => readonly { getName(): string; getValue(): string | null }[]
  }
  const flags = Object.fromEntries(
    (flagged.getFlags?.() ?? []).map((flag) => [flag.getName(), flag.getValue() ?? '']),
  )
  const words = instruction.getArguments().map((argument) => argument.getValue())
  return { keyword, text, args: jsonArray(text) ?? words, flags }
}

function jsonArray(text: string): readonly string[] | null {
  const start = text.indexOf('[')
  // `HEALTHCHECK … CMD ["…"]` has one at its end.
  if (start === -1 || !text.trim().endsWith(']')) return null
  try {
    return JSON.parse(text.slice(start)) as string[]
  } catch {
    return null
  }
}

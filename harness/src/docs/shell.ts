import { type Command, parse } from 'unbash'

/** A command of a shell block. */
export interface ShellCommand {
  readonly name: string
  readonly args: readonly string[]
  /** Variables that are set for it, or for the shell if it has no name. */
  readonly sets: readonly string[]
}

/** All commands of a script, also those in substitutions, functions and conditions. @throws Error with the mistakes */
export function commandsIn(script: string): readonly ShellCommand[] {
  const parsed = parse(script)
  const mistakes = (parsed.errors ?? []).map(({ message }) => message)
  if (mistakes.length > 0) throw new Error(mistakes.join('; '))
  // Words show what is in them only in JSON.
  return nodesIn(JSON.parse(JSON.stringify(parsed))).map(({ name, prefix, suffix }) => ({
    name: name?.value ?? '',
    args: suffix.map(({ value }) => value),
    sets: prefix.map((assignment) => assignment.name ?? ''),
  }))
}

function nodesIn(node: unknown): readonly Command[] {
  if (typeof node !== 'object' || node === null) return []
  const inside = Object.values(node).flatMap(nodesIn)
  return 'type' in node && node.type === 'Command' ? [node as Command, ...inside] : inside
}

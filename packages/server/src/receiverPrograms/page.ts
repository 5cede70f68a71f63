import type { Profile } from '../profiles/profile.ts'
import { LANGUAGES, type ReceiverProgram, receiverPrograms } from './index.ts'

const fenced = (text: string, colors: string) => `\`\`\`${colors}\n${text.replace(/\n$/, '')}\n\`\`\``

function programText(program: ReceiverProgram, heading: string): string {
  if (program.why !== null) return [heading, program.why].join('\n\n')
  const { needs, checks, frameworks, setup, file, code, colors, run } = program
  return [
    heading,
    needs,
    checks,
    ...(setup.length === 0 ? [] : [fenced(setup.join('\n'), 'sh')]),
    `Save this as \`${file}\`:`,
    fenced(code, colors),
    'Start it with the signing secret of your webhook. It listens on port 3000, at every path:',
    fenced(run, 'sh'),
    ...(frameworks === null ? [] : [`**In frameworks.** ${frameworks}`]),
  ].join('\n\n')
}

/** A service whose requests a page is about. */
export interface PagedService {
  readonly profile: Profile
  /** Heading of its part; `null`: the page is about this one alone. */
  readonly title: string | null
}

/**
 * The page on receiving requests in a language, in Markdown.
 * @param guide where the page stands that holds for all languages
 * @returns `null`: there is no such language
 */
export function receiverPage(
  id: string,
  services: readonly PagedService[],
  publicUrl: string,
  guide: string | null,
): string | null {
  const language = LANGUAGES.find((one) => one.id === id)
  if (language === undefined) return null
  const parts = services.flatMap(({ profile, title }) => {
    const programs = receiverPrograms(profile, publicUrl).filter((program) => program.language === id)
    const level = title === null ? '##' : '###'
    const texts = programs.map((program) =>
      programText(
        program,
        `${level} ${program.id === id ? 'The program' : program.name.replace(/^.* with /, 'With ')}`,
      ),
    )
    return [...(title === null ? [] : [`## ${title}`]), ...texts]
  })
  const intro = `Each program is a complete receiver. Run it, or copy its check into your own server. It compares signatures in constant time, and answers 2xx before any work is done.${
    guide === null ? '' : ` Read the [rules for every language](${guide}) too.`
  }`
  return `${[`# Receive webhooks in ${language.name}`, intro, ...parts].join('\n\n')}\n`
}

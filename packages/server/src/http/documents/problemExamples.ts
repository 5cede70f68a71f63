import {
  PROBLEM_CONTENT_TYPE,
  PROBLEMS,
  Problem,
  type ProblemCode,
  problemDocument,
} from '../shared/problems.ts'
import type { Response } from './objects.ts'

const isCode = (word: string): word is ProblemCode => word in PROBLEMS

/** The codes that a response's description names. */
export const codesOf = ({ description }: Response): readonly ProblemCode[] =>
  [...description.matchAll(/`(\w+)`:/g)].map(([, word]) => word!).filter(isCode)

/** A response that is a problem, with an example for each code. */
export function withProblemExamples(response: Response): Response {
  const media = response.content?.[PROBLEM_CONTENT_TYPE]
  if (media === undefined) return response
  const examples = codesOf(response).map((code) => [code, { $ref: `#/components/examples/${code}` }])
  return {
    ...response,
    content: { [PROBLEM_CONTENT_TYPE]: { ...media, examples: Object.fromEntries(examples) } },
  }
}

/** Whose mistakes are listed with their places. */
const LISTS_MISTAKES: readonly ProblemCode[] = ['invalid_request', 'event_id_conflict']

/** Examples of all problems, as components. */
export const PROBLEM_EXAMPLES: Readonly<Record<string, object>> = Object.fromEntries(
  Object.keys(PROBLEMS)
    .filter(isCode)
    .map((code) => [code, { summary: PROBLEMS[code].title, value: exampleOf(code) }]),
)

function exampleOf(code: ProblemCode): object {
  const extras = LISTS_MISTAKES.includes(code)
    ? { errors: [{ pointer: '/id', message: 'what is wrong with this member, and what is allowed' }] }
    : {}
  const problem = new Problem(code, 'What is wrong in this case, and what to do.', extras)
  return JSON.parse(problemDocument(problem, 'req_5f2c19d0a47b_1k'))
}

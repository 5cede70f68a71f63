import { buildServerAt, hasCommit } from '../../support/earlierBuild.ts'
import { GuardedDirectory } from '../../support/guardedDirectory.ts'
import { BenchError } from '../frame/benchError.ts'
import { keepOpen, NOTHING_OPEN } from '../frame/prepared.ts'
import type { Flag, Prepared, Settings } from '../frame/scenario.ts'
import type { StageOptions } from './stage.ts'

/** The flag of scenarios that can compare this build with an earlier one. */
export const BEFORE = {
  kind: 'text',
  help: 'compare this build with the build of a commit, instead of the usual variants',
  usual: '',
} as const satisfies Flag

type WithBefore = Settings<{ readonly before: typeof BEFORE }>

const THIS_BUILD = 'this build'

/** What a round runs instead of this build. */
export interface EarlierBuild extends Prepared {
  /** `null`: no earlier build is compared. */
  readonly program: string | null
}

/** The earlier build and this one, if a commit is given; otherwise the usual variants. */
export const variantsOr = ({ flags }: WithBefore, usual: readonly string[]): readonly string[] =>
  flags.before === '' ? usual : [flags.before, THIS_BUILD]

/**
 * Builds the service at the commit, with the dependencies of this checkout. @throws BenchError when there is
 * no such commit
 */
export async function prepareEarlierBuild({ flags, dataParent }: WithBefore): Promise<EarlierBuild> {
  const { before } = flags
  if (before === '') return { ...NOTHING_OPEN, program: null }
  if (before === THIS_BUILD || before.startsWith('-') || !hasCommit(before))
    throw new BenchError(`--before: this checkout has no commit ${before}`)
  const directory = new GuardedDirectory(dataParent)
  return keepOpen({ close: () => directory.remove() }, async () => ({
    program: buildServerAt(before, directory.path),
  }))
}

/** The program that a variant runs, for its stage. */
export const programOf = (
  { flags }: WithBefore,
  { program }: EarlierBuild,
  variant: string,
): Pick<StageOptions, 'program'> => (program !== null && variant === flags.before ? { program } : {})

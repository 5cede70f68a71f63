import { ENGINE_MUTANTS } from './engineMutants.ts'
import type { Mutant } from './mutant.ts'
import { STORAGE_MUTANTS } from './storageMutants.ts'

export type { Mutant, Suite } from './mutant.ts'

export const MUTANTS: readonly Mutant[] = [...ENGINE_MUTANTS, ...STORAGE_MUTANTS]

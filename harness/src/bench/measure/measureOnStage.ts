import type { Outcome } from '../frame/scenario.ts'
import { onStage, type Stage, type StageOptions } from '../stage/stage.ts'

/** Measures on a stage of its own; a service that did not end as it should makes the run unsound. */
export function measureOnStage(
  options: StageOptions,
  measure: (stage: Stage) => Promise<Outcome>,
  preload: string | null = null,
): Promise<Outcome> {
  const measureAll = async (stage: Stage) => {
    const { figures, complaints } = await measure(stage)
    return { figures, complaints: [...complaints, ...stage.complaints] }
  }
  return onStage(options, measureAll, preload)
}
